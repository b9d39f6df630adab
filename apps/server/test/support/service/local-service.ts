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
import { copySeededData } from '../kill/seeded.ts'
import { registerLocalSecrets } from '../secrets/local-secrets.ts'
import { keptLog } from '../secrets/secret-register.ts'

type LocalAccess = {
  readonly baseUrl: string
  readonly rpcUrl: string
  readonly databaseUrl: string
  readonly subscriptionKey: string
  readonly merchant: { readonly address: Hex; readonly privateKey: Hex }
  readonly buyer: { readonly address: Hex; readonly privateKey: Hex }
  readonly tokens: Readonly<Record<'USDC' | 'USDT' | 'cbBTC' | 'cbXRP', Hex>>
}

/** The whole product in this process, as `npm start` runs it: database, chain, jobs, pages. */
export type LocalService = Awaited<ReturnType<typeof startLocalService>>

/** Starts a service on the chain of `neighbour` without a deployer key, and with its own database. */
export async function startWithoutDeployer(neighbour: LocalService) {
  const { baseUrl, stop } = await runOnCopy('no-deployer', {
    RATE_LIMIT_SCALE: '0',
    SIGNUPS: 'open',
    RPC_URLS: neighbour.rpcUrl,
    CHAIN_ID: '31337',
    PLATFORM_RECIPIENT: neighbour.buyer.address,
  })
  return { ...neighbour, baseUrl, stop }
}

/**
 * Starts a {@link LocalService} on a copy of seeded data, on a free port, without rate limits by default.
 *
 * @param options - `settings`: additional settings, by their names in the configuration.
 */
export async function startLocalService(
  options: { rateLimitScale?: number; settings?: Readonly<Record<string, string>> } = {},
) {
  const { dataDir, stop } = await runOnCopy('local', {
    RATE_LIMIT_SCALE: String(options.rateLimitScale ?? 0),
    ...options.settings,
  })
  const access = JSON.parse(readFileSync(join(dataDir, 'local.json'), 'utf8')) as LocalAccess
  const headers = { 'content-type': 'application/json', 'ocp-apim-subscription-key': access.subscriptionKey }
  async function call(path: string, body?: unknown) {
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(access.baseUrl + path, init)
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Record<string, string>
  }
  const account = privateKeyToAccount(access.buyer.privateKey)
  const wallet = createWalletClient({ account, transport: http(access.rpcUrl) })
  async function send(transaction: { to: Hex; data?: Hex; value?: bigint }) {
    await wallet.sendTransactionSync({ ...transaction, chain: null })
  }
  return {
    ...access,
    dataDir,
    createReceipt: async (id: string, body: Record<string, unknown>) =>
      (await call('/api/receipts', { id, ...body })).paymentUrl ?? '',
    status: async (id: string) =>
      (await call(`/api/receipts/status?receiptId=${encodeURIComponent(id)}`)).status ?? '',
    async pay(id: string) {
      const path = `/api/checkout/${encodeURIComponent(id)}/attempts?recipient=${access.merchant.address}`
      const { depositAddress = '', amount = 0 } = await call(path, { token: 'USDC' })
      await send({ to: access.tokens.USDC, data: transferData(depositAddress, BigInt(amount)) })
    },
    send,
    async setBlockTime(seconds: number) {
      const request = wallet.request as (call: { method: string; params: unknown[] }) => Promise<unknown>
      await request({ method: 'evm_setIntervalMining', params: [seconds] })
    },
    async stop() {
      const db = new Pool({ url: access.databaseUrl, log: makeLog('silent'), max: 2 })
      try {
        await makeLastAudit(db, { rpcUrl: access.rpcUrl, contracts: localContracts() }).run()
      } finally {
        await db.close()
        await stop()
      }
    },
  }
}

async function runOnCopy(name: string, settings: Readonly<Record<string, string>>) {
  const { dataDir, remove } = await copySeededData()
  const parts: { stop(): Promise<void> }[] = []
  const stop = async () => {
    for (const part of parts.splice(0).reverse()) await part.stop()
    await remove()
  }
  const config = readConfig({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'debug', ...settings })
  const keep = (part: { stop(): Promise<void> }) => void parts.push(part)
  try {
    const { baseUrl } = await runSluice(config, makeLog('debug', keptLog(name)), { keep })
    registerLocalSecrets(dataDir)
    return { dataDir, baseUrl, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
