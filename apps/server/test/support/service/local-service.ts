import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { localContracts } from '../../../src/local/deploy-contracts.ts'
import { Pool } from '../../../src/platform/database/database.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { readConfig } from '../../../src/platform/settings/config.ts'
import { runSluice } from '../../../src/run.ts'
import { makeLastAudit } from '../chain/audit-chain.ts'
import { transferData } from '../chain/chain-api.ts'
import { copySeededData } from '../kill/shared.ts'
import { registerLocalSecrets } from '../secrets/local-secrets.ts'
import { keptLog } from '../secrets/secret-register.ts'

/** What a local service writes down about itself. */
type LocalAccess = {
  readonly baseUrl: string
  readonly rpcUrl: string
  readonly databaseUrl: string
  readonly subscriptionKey: string
  readonly merchant: { readonly address: Hex; readonly privateKey: Hex }
  readonly buyer: { readonly address: Hex; readonly privateKey: Hex }
  readonly tokens: Readonly<Record<'USDC' | 'USDT' | 'cbBTC' | 'cbXRP', Hex>>
}

/** The whole product as `npm start` runs it, in this process: database, chain, jobs, pages. */
export type LocalService = LocalAccess & {
  /** Where it keeps what it has. */
  readonly dataDir: string
  /** Makes a receipt through the API and gives its payment URL. */
  createReceipt(id: string, body: Record<string, unknown>): Promise<string>
  /** The status the API tells the merchant. */
  status(id: string): Promise<string>
  /** Pays a receipt in USDC by a plain transfer from the demo buyer. */
  pay(id: string): Promise<void>
  /** Sends from the demo buyer; resolves when it is in a block. */
  send(transaction: { to: Hex; data?: Hex; value?: bigint }): Promise<void>
  /** How long the chain takes from block to block; a second at first. */
  setBlockTime(seconds: number): Promise<void>
  /** Audits the chain against the books, then stops. */
  stop(): Promise<void>
}

/**
 * Starts another service on the chain of a local one, as an operator does who has no key that deploys: with a database of
 * its own, and without anybody to pay for a transaction.
 */
export async function startWithoutDeployer(
  neighbour: LocalService,
): Promise<LocalAccess & { stop(): Promise<void> }> {
  const { dataDir, remove } = await copySeededData()
  const parts: { stop(): Promise<void> }[] = []
  const stop = async () => {
    for (const part of parts.splice(0).reverse()) await part.stop()
    await remove()
  }
  const base = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'debug', RATE_LIMIT_SCALE: '0', SIGNUPS: 'open' }
  const config = readConfig({
    ...base,
    RPC_URLS: neighbour.rpcUrl,
    CHAIN_ID: '31337',
    PLATFORM_RECIPIENT: neighbour.buyer.address,
  })
  const keep = (part: { stop(): Promise<void> }) => void parts.push(part)
  try {
    const { baseUrl } = await runSluice(config, makeLog('debug', keptLog('no-deployer')), { keep })
    registerLocalSecrets(dataDir)
    return { ...neighbour, baseUrl, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Starts it on a copy of what a first start leaves behind, on a free port; without rate limits where nothing else
 * is said.
 *
 * @param options - `settings`: more of them, by their names in the configuration.
 */
export async function startLocalService(
  options: { rateLimitScale?: number; settings?: Readonly<Record<string, string>> } = {},
): Promise<LocalService> {
  const { dataDir, remove } = await copySeededData()
  const parts: { stop(): Promise<void> }[] = []
  const stop = async () => {
    for (const part of parts.splice(0).reverse()) await part.stop()
    await remove()
  }
  const scale = String(options.rateLimitScale ?? 0)
  const base = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'debug', RATE_LIMIT_SCALE: scale }
  const config = readConfig({ ...base, ...options.settings })
  const keep = (part: { stop(): Promise<void> }) => void parts.push(part)
  await runSluice(config, makeLog('debug', keptLog('local')), { keep }).catch(async (error) => {
    await stop()
    throw error
  })
  const access = JSON.parse(readFileSync(join(dataDir, 'local.json'), 'utf8')) as LocalAccess
  registerLocalSecrets(dataDir)
  const headers = { 'content-type': 'application/json', 'ocp-apim-subscription-key': access.subscriptionKey }
  const call = async (path: string, body?: unknown) => {
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(access.baseUrl + path, init)
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Record<string, string>
  }
  const account = privateKeyToAccount(access.buyer.privateKey)
  const wallet = createWalletClient({ account, transport: http(access.rpcUrl) })
  const service: LocalService = {
    ...access,
    dataDir,
    createReceipt: async (id, body) => (await call('/api/receipts', { id, ...body })).paymentUrl ?? '',
    status: async (id) =>
      (await call(`/api/receipts/status?receiptId=${encodeURIComponent(id)}`)).status ?? '',
    async pay(id) {
      const path = `/api/checkout/${encodeURIComponent(id)}/attempts?recipient=${access.merchant.address}`
      const { depositAddress = '', amount = 0 } = await call(path, { token: 'USDC' })
      await service.send({ to: access.tokens.USDC, data: transferData(depositAddress, BigInt(amount)) })
    },
    async send(transaction) {
      await wallet.sendTransactionSync({ ...transaction, chain: null })
    },
    async setBlockTime(seconds) {
      const request = wallet.request as (call: { method: string; params: unknown[] }) => Promise<unknown>
      await request({ method: 'evm_setIntervalMining', params: [seconds] })
    },
    async stop() {
      const db = new Pool({ url: access.databaseUrl, log: makeLog('silent'), max: 2 })
      const chain = { rpcUrl: access.rpcUrl, contracts: localContracts() }
      try {
        await makeLastAudit(db, chain).run()
      } finally {
        await db.close()
        await stop()
      }
    },
  }
  return service
}
