import type { Wallet } from '@sluice/protocol/wallet.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { holdLane, settleTransactionsJob } from '../../../src/chain/transactions/nonce-lane.ts'
import { priceOwn, recordTransaction } from '../../../src/chain/transactions/send.ts'
import { stuckAfterMs } from '../../../src/chain/transactions/settle.ts'
import { listOpenOwn } from '../../../src/chain/transactions/store.ts'
import {
  openSender,
  type TransactionOrder,
  type TransactionSender,
} from '../../../src/chain/transactions/transaction.ts'
import { assert } from '../../../src/kernel/assert.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { type ChainApi, randomWallet, startChainApi } from '../../support/worlds/chain-api.ts'
import { runToRest } from '../../support/worlds/run-to-rest.ts'

let bench: ChainApi
let sender: TransactionSender

beforeAll(async () => {
  bench = await startChainApi()
})

afterAll(() => bench?.stop())

beforeEach(async () => {
  sender = openSender(`0x${Buffer.from(systemRandom.bytes(32)).toString('hex')}`)
  await bench.node.client.setBalance({ address: sender.address, value: 10n ** 18n })
})

const order = (): TransactionOrder => ({ kind: 'fill', detail: {}, to: randomWallet(), data: '0x' })
const settle = (from = sender) => runToRest(settleTransactionsJob(bench.needs, [from], 'test'))
const nonceOf = (address: Wallet) => bench.node.client.getTransactionCount({ address })
const send = (orders: TransactionOrder[], holder = 'a') =>
  holdLane(bench.needs, sender, holder, async (lane) => {
    const outcomes = []
    for (const each of orders) outcomes.push(await lane.send(each))
    return outcomes
  })
const states = async () =>
  (
    await bench.needs.db.rows<{ nonce: bigint; state: string }>(
      {
        name: 'test-own-states',
        text: 'SELECT nonce, state FROM own_transaction WHERE sender = $1 ORDER BY nonce, attempt',
      },
      [sender.address],
    )
  ).map((row) => `${row.nonce} ${row.state}`)

describe('transactions of our own', () => {
  test('are mined in the order they were sent and noted as mined', async () => {
    const outcomes = await send([order(), order(), order()])
    expect(outcomes?.map(({ kind }) => kind)).toEqual(['sent', 'sent', 'sent'])
    await bench.node.mine()
    await settle()
    expect(await states()).toEqual(['0 mined', '1 mined', '2 mined'])
  })

  test('that were written but never sent are sent after a crash, in the same bytes', async () => {
    const wanted = order()
    const priced = await priceOwn(bench.needs, sender, wanted)
    assert(priced.ok, 'a transfer does not revert')
    const own = await recordTransaction(bench.needs, sender, wanted, {
      nonce: 0n,
      attempt: 0n,
      ...priced.price,
    })
    assert(own, 'the nonce is free')
    await settle()
    await bench.node.mine()
    await settle()
    expect(await states()).toEqual(['0 mined'])
    const { status } = await bench.node.client.getTransactionReceipt({ hash: own.hash })
    expect(status).toBe('success')
  })

  test('that were sent but not noted are sent again without doing anything twice', async () => {
    await send([order()])
    const [own] = await listOpenOwn(bench.needs.db, bench.node.chainId, sender.address)
    await bench.needs.db.run(
      { name: 'test-unsend', text: 'UPDATE own_transaction SET sent_at = NULL WHERE sender = $1' },
      [sender.address],
    )
    await settle()
    await bench.node.mine()
    await settle()
    expect(await states()).toEqual(['0 mined'])
    expect(await nonceOf(sender.address)).toBe(1)
    expect(own?.nonce).toBe(0n)
  })

  test('of one nonce signed by two processes at once: one is written, the other never sent', async () => {
    const terms = { nonce: 0n, attempt: 0n, gas: 21_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
    const written = await Promise.all([
      recordTransaction(bench.needs, sender, order(), terms),
      recordTransaction(bench.needs, sender, order(), terms),
    ])
    expect(written.filter(Boolean)).toHaveLength(1)
  })

  test('are sent by one process at a time', async () => {
    const inner = await holdLane(bench.needs, sender, 'a', () => send([order()], 'b'))
    expect(inner).toBeUndefined()
    expect(await send([order()], 'b')).toHaveLength(1)
  })

  test('that are stuck are replaced at the same nonce with higher fees', async () => {
    const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }
    const low = await recordTransaction(bench.needs, sender, order(), {
      nonce: 0n,
      attempt: 0n,
      gas: 30_000n,
      ...fees,
    })
    assert(low, 'the nonce is free')
    await settle()
    await bench.needs.db.run(
      { name: 'test-sent', text: 'UPDATE own_transaction SET sent_at = 1 WHERE sender = $1' },
      [sender.address],
    )
    await bench.clock.advance(stuckAfterMs)
    await settle()
    await bench.node.mine()
    await settle()
    expect(await states()).toEqual(['0 replaced', '0 mined'])
    expect(await nonceOf(sender.address)).toBe(1)
  })

  test('above a missing nonce are mined once the gap is filled', async () => {
    const wanted = order()
    const priced = await priceOwn(bench.needs, sender, wanted)
    assert(priced.ok, 'a transfer does not revert')
    await recordTransaction(bench.needs, sender, wanted, { nonce: 2n, attempt: 0n, ...priced.price })
    await settle()
    await bench.node.mine()
    await settle()
    expect(await states()).toEqual(['0 mined', '1 mined', '2 mined'])
  })

  test('whose nonce somebody else used are given up, and the next ones go on', async () => {
    await send([order()])
    const other = await sender.sign(bench.node.chainId, order(), {
      nonce: 0n,
      attempt: 0n,
      gas: 30_000n,
      maxFeePerGas: 10n ** 12n,
      maxPriorityFeePerGas: 10n ** 11n,
    })
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
    await settle()
    await bench.node.mine()
    await settle()
    expect(await states()).toEqual(['0 mined', '1 mined'])
    expect(await nonceOf(sender.address)).toBe(2)
  })
})
