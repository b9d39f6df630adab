import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { withNonces } from '../../../src/chain/transactions/nonce-lease.ts'
import { recordTransaction } from '../../../src/chain/transactions/send.ts'
import { stuckAfterMs, stuckAlertMs } from '../../../src/chain/transactions/settle.ts'
import { listOpenOutgoing } from '../../../src/chain/transactions/store.ts'
import {
  openSender,
  type TransactionOrder,
  type TransactionSender,
  type TransactionTerms,
} from '../../../src/chain/transactions/transaction.ts'
import { assert } from '../../../src/kernel/assert.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { startApi } from '../../support/api/start-api.ts'
import { randomWallet, startChainApi } from '../../support/chain/chain-api.ts'
import { perCase, perFile } from '../../support/per-file.ts'
import { recordUnsent } from './record-unsent.ts'

/** The node's response to every raw transaction, or `undefined` to accept them. */
let rejection: string | undefined
const bench = perFile(() =>
  startChainApi({
    outbound: (real) => ({
      async request(request) {
        if (!rejection || !request.body?.includes('eth_sendRawTransaction')) return real.request(request)
        const calls = JSON.parse(request.body) as { id: number }[]
        const error = { code: -32000, message: rejection }
        const body = Buffer.from(JSON.stringify(calls.map(({ id }) => ({ jsonrpc: '2.0', id, error }))))
        return { kind: 'response', status: 200, headers: {}, body }
      },
    }),
  }),
)
afterEach(() => {
  rejection = undefined
})
let sender: TransactionSender
const keeper = perCase(async () => {
  const keeperKey: Hex = `0x${Buffer.from(systemRandom.bytes(32)).toString('hex')}`
  sender = openSender(keeperKey)
  await bench.node.client.setBalance({ address: sender.address, value: 10n ** 18n })
  return startApi({ beside: bench, chain: () => bench.needs.chain, keeperKey })
})

const order = (): TransactionOrder => ({ kind: 'fill', detail: {}, to: randomWallet(), data: '0x' })
const settle = () => keeper.run(jobNames.settleTransactions)
const nonceOf = (address: Wallet) => bench.node.client.getTransactionCount({ address })
const send = (orders: TransactionOrder[], holder = 'a') =>
  withNonces(bench.needs, sender, holder, async (nonces) => {
    const outcomes = []
    for (const each of orders) outcomes.push(await nonces.send(each))
    return outcomes
  })
const record = (terms: TransactionTerms) => recordTransaction(bench.needs, sender, order(), terms)
const change = (what: string) =>
  bench.rows(`UPDATE outgoing_transaction SET ${what} WHERE sender = '${sender.address}'`)
const states = async () => {
  const rows = await bench.rows<{ nonce: bigint; state: string }>(
    `SELECT nonce, state FROM outgoing_transaction WHERE sender = '${sender.address}' ORDER BY nonce, attempt`,
  )
  return rows.map(({ nonce, state }) => `${nonce} ${state}`)
}
async function settleAndMine() {
  await settle()
  await bench.node.mine()
  await settle()
}

describe('transactions of our own', () => {
  test('are mined in the order they were sent and noted as mined', async () => {
    const outcomes = await send([order(), order(), order()])
    expect(outcomes?.map(({ kind }) => kind)).toEqual(['sent', 'sent', 'sent'])
    await bench.node.mine()
    await settle()
    expect(await states()).toEqual(['0 mined', '1 mined', '2 mined'])
  })

  test('that were written but never sent are sent after a crash, in the same bytes', async () => {
    const own = await recordUnsent(bench.needs, sender, order(), 0n)
    await settleAndMine()
    expect(await states()).toEqual(['0 mined'])
    const { status } = await bench.node.client.getTransactionReceipt({ hash: own.hash })
    expect(status).toBe('success')
  })

  test('that were sent but not noted are sent again without doing anything twice', async () => {
    await send([order()])
    const [own] = await listOpenOutgoing(bench.needs.db, bench.node.chainId, sender.address)
    await change('sent_at = NULL')
    await settleAndMine()
    expect(await states()).toEqual(['0 mined'])
    expect(await nonceOf(sender.address)).toBe(1)
    expect(own?.nonce).toBe(0n)
  })

  test('of one nonce signed by two processes at once: one is written, the other never sent', async () => {
    const terms = { nonce: 0n, attempt: 0n, gas: 21_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
    const written = await Promise.all([record(terms), record(terms)])
    expect(written.filter(Boolean)).toHaveLength(1)
  })

  test('are sent by one process at a time', async () => {
    const inner = await withNonces(bench.needs, sender, 'a', () => send([order()], 'b'))
    expect(inner).toBeUndefined()
    expect(await send([order()], 'b')).toHaveLength(1)
  })

  test('that are stuck are replaced at the same nonce with higher fees', async () => {
    const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }
    assert(await record({ nonce: 0n, attempt: 0n, gas: 30_000n, ...fees }), 'the nonce is free')
    await bench.clock.advance(stuckAfterMs)
    await settleAndMine()
    expect(await states()).toEqual(['0 replaced', '0 mined'])
    expect(await nonceOf(sender.address)).toBe(1)
  })

  test('that the node rejects for their fee are replaced, and the next ones are mined behind them', async () => {
    const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }
    assert(await record({ nonce: 0n, attempt: 0n, gas: 30_000n, ...fees }), 'the nonce is free')
    await send([order()])
    await bench.clock.advance(stuckAfterMs)
    await settleAndMine()
    expect(await states()).toEqual(['0 replaced', '0 mined', '1 mined'])
  })

  test('are replaced without a last attempt, by up to ten times the fees of now', async () => {
    const { maxFeePerGas } = await bench.needs.chain.readFees()
    const fees = { maxFeePerGas, maxPriorityFeePerGas: 1n }
    assert(await record({ nonce: 0n, attempt: 12n, gas: 30_000n, ...fees }), 'the nonce is free')
    rejection = 'transaction underpriced'
    for (let i = 0; i < 30; i++) {
      await bench.clock.advance(stuckAfterMs)
      await settle()
    }
    const signed = await listOpenOutgoing(bench.needs.db, bench.node.chainId, sender.address)
    expect(signed.length).toBeGreaterThan(13)
    const highest = signed.at(-1)?.maxFeePerGas ?? 0n
    expect(highest).toBeGreaterThanOrEqual(10n * maxFeePerGas)
    expect(highest).toBeLessThan(12n * maxFeePerGas)
    rejection = undefined
    await settleAndMine()
    expect((await states()).at(-1)).toBe('0 mined')
  })

  test('that no block includes for ten minutes are alerted once, with the words of the node', async () => {
    rejection = 'max fee per gas less than block base fee'
    await send([order(), order()])
    const alerts = () => keeper.logged.filter(({ alert }) => alert === 'transaction-stuck')
    await bench.clock.advance(stuckAlertMs - 1)
    await settle()
    expect(alerts()).toEqual([])
    await bench.clock.advance(1)
    await settle()
    await settle()
    expect(alerts()).toMatchObject([{ nonce: '0', reason: expect.stringContaining(rejection) }])
    rejection = undefined
    await settleAndMine()
    expect(await states()).toEqual(['0 replaced', '0 mined', '1 mined'])
  })

  test('that are stuck since a clock was a day ahead are replaced too', async () => {
    const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }
    assert(await record({ nonce: 0n, attempt: 0n, gas: 30_000n, ...fees }), 'the nonce is free')
    await settle()
    await change('created_at = created_at + 86400000, sent_at = created_at + 86400000')
    await settleAndMine()
    expect(await states()).toEqual(['0 replaced', '0 mined'])
  })

  test('above a missing nonce are mined once the gap is filled', async () => {
    await recordUnsent(bench.needs, sender, order(), 2n)
    await settleAndMine()
    expect(await states()).toEqual(['0 mined', '1 mined', '2 mined'])
  })

  test('whose nonce somebody else used are given up, and the next ones go on', async () => {
    await send([order()])
    const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n }
    const terms = { nonce: 0n, attempt: 0n, gas: 30_000n, ...fees }
    const other = await sender.sign(bench.node.chainId, order(), terms)
    await bench.needs.chain.sendRaw(other.raw)
    await bench.node.mine()
    await send([order()])
    await bench.node.mine()
    await settle()
    expect(await states()).toEqual(['0 replaced', '1 mined'])
  })

  test('that the chain lost with its blocks are sent again in the same bytes', async () => {
    await send([order(), order()])
    await bench.node.mine()
    await settle()
    await bench.node.reorg(1)
    expect(await nonceOf(sender.address)).toBe(0)
    await settleAndMine()
    expect(await states()).toEqual(['0 mined', '1 mined'])
    expect(await nonceOf(sender.address)).toBe(2)
  })
})
