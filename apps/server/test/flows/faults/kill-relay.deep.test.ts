import { permit2Address } from '@sluice/contracts/abi/Permit2.ts'
import { testUSDCAbi } from '@sluice/contracts/abi/TestUSDC.ts'
import { testUSDTAbi } from '@sluice/contracts/abi/TestUSDT.ts'
import { createWalletClient, encodeFunctionData, type Hex, http, parseAbiItem } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { anvilClient } from '../../../src/local/anvil.ts'
import { Pool } from '../../../src/platform/database/database.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { newWallet } from '../../support/api/sessions.ts'
import { askUntilAnswered } from '../../support/kill/client.ts'
import { copySeededData } from '../../support/kill/seeded.ts'
import { readLocal } from '../../support/kill/service.ts'
import { SupervisedService } from '../../support/kill/supervised-service.ts'
import { findServicePort } from '../../support/programs/service-port.ts'

const paymentCount = Number(process.env.RELAYED_PAYMENTS ?? '30')
const killEvery = 50
const moments = [
  'after-commit:insert-relayed-payment',
  'before-send:relay',
  'after-send:relay',
  'before-commit:save-relayed-payment',
  'after-commit:insert-outgoing-transaction',
  'before-commit:settle-own-nonce',
]
const atOnce = 20
const transfer = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')

test('payments signed while the service is killed again and again are each made once', async () => {
  const data = await copySeededData()
  const port = await findServicePort()
  const service = new SupervisedService({ dataDir: data.dataDir, port }, moments)
  try {
    await service.untilReady()
    const local = await readLocal(data.dataDir)
    const { baseUrl, rpcUrl, tokens, merchant } = local
    const chain = anvilClient(rpcUrl)
    const db = new Pool({ url: local.databaseUrl, max: 2, log: makeLog('silent') })
    const rows = <Row extends object>(text: string) => db.rows<Row>({ name: '', text })
    const { wallet, privateKey } = newWallet()
    const account = privateKeyToAccount(local.buyer.privateKey)
    const mint = { address: tokens.USDC, abi: testUSDCAbi, functionName: 'mint' } as const
    const args = [wallet, BigInt(paymentCount) * 1_000_000n] as const
    const demo = createWalletClient({ account, transport: http(rpcUrl) })
    await chain.waitForTransactionReceipt({ hash: await demo.writeContract({ ...mint, args, chain: null }) })

    // A third of the payments are permits in another token. Each permit has its own wallet, since a wallet
    // can have only one permit in progress. Another third are Permit2 signatures from one wallet, which
    // approved Permit2 once.
    const tokenOf = (index: number) => (['USDC', 'USDT', 'cbBTC'] as const)[index % 3] ?? 'USDC'
    const approver = newWallet()
    const payers = Array.from({ length: paymentCount }, (_, index) => {
      if (tokenOf(index) === 'cbBTC') return newWallet()
      return tokenOf(index) === 'USDT' ? approver : { wallet, privateKey }
    })
    const giveUsdt = { ...mint, address: tokens.USDT, args: [approver.wallet, args[1]], chain: null } as const
    await chain.waitForTransactionReceipt({ hash: await demo.writeContract(giveUsdt) })
    await approvePermit2(chain, approver.wallet, tokens.USDT)
    for (const payer of payers.filter((_, index) => tokenOf(index) === 'cbBTC')) {
      const give = { ...mint, address: tokens.cbBTC, args: [payer.wallet, 100_000n], chain: null } as const
      await chain.waitForTransactionReceipt({ hash: await demo.writeContract(give) })
    }

    const ask = makeAsk(baseUrl, local.subscriptionKey)
    const startedAt = performance.now()
    let next = 0
    const payOne = async (index: number) => {
      const id = `relayed-${index}`
      const payer = payers[index] ?? { wallet, privateKey }
      const token = tokenOf(index)
      await ask('/api/receipts', { id, lineItems: [{ label: 'Tea', priceUsd: 1 }], totalUsd: 1 })
      const at = (what: string) => `/api/checkout/${id}/${what}?recipient=${merchant.address}`
      const asked = await ask(at('signature-request'), { token, payer: payer.wallet })
      const { typedData, attemptId } = asked as { typedData: TypedData; attemptId: string }
      const { EIP712Domain: _, ...types } = typedData.types
      const signature = await privateKeyToAccount(payer.privateKey).signTypedData({ ...typedData, types })
      const authorization = typedData.message
      await ask(at('signatures'), { attemptId, authorization, payer: payer.wallet, signature })
    }
    const work = async () => {
      while (next < paymentCount) {
        const index = next++
        if (index > 0 && index % killEvery === 0) service.kill()
        await payOne(index)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    const countPaid = async () => {
      const [row] = await rows<{ count: bigint }>(
        `SELECT count(*) AS count FROM receipt WHERE id LIKE 'relayed-%' AND status IN ('paid', 'reconciled')`,
      )
      return Number(row?.count)
    }
    await expect.poll(countPaid, { timeout: 600_000, interval: 200 }).toBe(paymentCount)

    const from = [...new Set(payers.map((payer) => payer.wallet))]
    for (const token of ['USDC', 'USDT', 'cbBTC'] as const) {
      const address = tokens[token]
      const paid = await chain.getLogs({ address, event: transfer, args: { from }, fromBlock: 0n })
      expect(paid).toHaveLength(payers.filter((_, index) => tokenOf(index) === token).length)
      expect(new Set(paid.map(({ args: { to } }) => to)).size).toBe(paid.length)
      expect(paid.every(({ args: { value } }) => value === paid[0]?.args.value)).toBe(true)
    }
    const sent = await rows<{ state: string; count: bigint; fee: string | null }>(
      `SELECT state, count(*) AS count, sum(fee) AS fee FROM outgoing_transaction WHERE kind = 'relay' GROUP BY state`,
    )
    expect(sent.filter(({ state }) => state === 'reverted')).toEqual([])
    await expect.poll(() => rows(`SELECT 1 FROM relayed_payment WHERE state <> 'mined'`)).toEqual([])
    const [paid] = await rows<{ fee: string; count: bigint }>(
      `SELECT sum(fee) AS fee, count(*) AS count FROM outgoing_transaction WHERE kind = 'relay' AND state = 'mined'`,
    )
    expect(Number(paid?.count)).toBe(paymentCount)
    expect(service.deathCount).toBeGreaterThanOrEqual(moments.length)
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    const fees = (Number(paid?.fee) / 1e18).toFixed(6)
    process.stdout.write(
      `${paymentCount} signed payments, ${service.deathCount} kills, ${seconds} s: none twice, none lost; ${fees} ETH of gas\n`,
    )
    await db.close()
    await service.stop()
  } finally {
    await service.abandon()
    await data.remove()
  }
}, 3_600_000)

async function approvePermit2(chain: ReturnType<typeof anvilClient>, wallet: Hex, token: Hex) {
  await chain.setBalance({ address: wallet, value: 10n ** 18n })
  await chain.impersonateAccount({ address: wallet })
  const args = [permit2Address, 2n ** 256n - 1n] as const
  const data = encodeFunctionData({ abi: testUSDTAbi, functionName: 'approve', args })
  const hash = await chain.sendUnsignedTransaction({ from: wallet, to: token, data })
  await chain.waitForTransactionReceipt({ hash })
  await chain.setBalance({ address: wallet, value: 0n })
}

type TypedData = {
  readonly types: Record<string, readonly { name: string; type: string }[]>
  readonly domain: { readonly verifyingContract: Hex }
  readonly primaryType: string
  readonly message: Record<string, string>
}

function makeAsk(baseUrl: string, key: string) {
  const headers = { 'content-type': 'application/json', 'ocp-apim-subscription-key': key }
  return async (path: string, body: object): Promise<unknown> => {
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    const { status, text } = await askUntilAnswered(path, (signal) =>
      fetch(baseUrl + path, { ...request, signal }),
    )
    const said = JSON.parse(text) as Record<string, unknown>
    const isDone = said.error === 'receipt_exists' || said.reason === 'authorization_used'
    if (status < 300 || isDone) return said
    throw new Error(`${path}: ${status} ${text}`)
  }
}
