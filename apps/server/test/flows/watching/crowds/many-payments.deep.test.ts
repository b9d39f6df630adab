import type { Cents } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { expect, test } from 'vitest'
import { listAttempts } from '../../../../src/payments/attempts/store.ts'
import type { Target } from '../../../../src/payments/attempts/targets.ts'
import { readPayments } from '../../../../src/payments/ledger/read-payments.ts'
import { listPayments } from '../../../../src/payments/ledger/store.ts'
import { summarizePayments } from '../../../../src/payments/ledger/summarize-payments.ts'
import { perCase } from '../../../support/per-file.ts'
import { startCrowd } from './crowd.ts'

/** More than are told apart. */
const dustCount = 1_500

const world = perCase(startCrowd)
const wanted = () =>
  world.rows('SELECT wanted, count(*) FROM payment_block WHERE receipt_id IS NOT NULL GROUP BY 1 ORDER BY 1')

test('payments too many to be told apart are credited once they are final, pay with others, and outlast a reorg', async () => {
  const target = await world.openTarget('crowded')
  const first = await world.nextBlock()
  const count = BigInt(dustCount)
  const before = { safe: first - 1n, final: first - 1n }
  const dust = Array.from({ length: dustCount }, (_, i) => world.find(target, i, first))
  await world.settle(before, { found: dust })
  expect(await world.states(target)).toEqual([{ state: 'seen', count }])
  expect(await wanted()).toEqual([{ wanted: 'safe', count }])

  const isSafe = { safe: first, final: first - 1n }
  expect((await world.settle(isSafe, { looks: [target] })).rowCount).toBeLessThan(dustCount)
  expect(await world.states(target)).toEqual([{ state: 'seen', count }])
  expect(await wanted()).toEqual([{ wanted: 'final', count }])
  expect(await world.payment('crowded')).toMatchObject({
    state: 'short',
    received: String(count),
  })

  const whole = world.find(target, dustCount, first + 1n, 20_500_000n)
  await world.settle({ safe: first, final: first }, { found: [whole] })
  expect(await world.states(target)).toEqual([
    { state: 'credited', count },
    { state: 'seen', count: 1n },
  ])
  expect(await wanted()).toEqual([
    { wanted: 'safe', count: 1n },
    { wanted: null, count },
  ])
  expect(await world.payment('crowded')).toMatchObject({
    state: 'seen',
    status: 'pending',
  })

  const isFinal = { safe: first + 1n, final: first + 1n }
  expect((await world.settle(isFinal, { looks: [target] })).rowCount).toBeLessThan(dustCount)
  const paid = { state: 'over', received: String(20_500_000n + count), status: 'paid' }
  expect(await world.payment('crowded')).toMatchObject({ ...paid, transactionHash: whole.txHash })

  await world.settle(isFinal, { found: [world.find(target, dustCount + 1, first + 1n)] })
  expect(await world.states(target)).toContainEqual({ state: 'unmatched', count: 1n })

  await world.settle(isFinal, {}, { fork: first })
  expect(await world.payment('crowded')).toMatchObject({ state: 'orphaned', received: String(count) })
  const moved = world.find(target, dustCount, first + 2n, 20_500_000n)
  await world.settle({ safe: first + 2n, final: first + 2n }, { found: [moved] })
  expect(await world.payment('crowded')).toMatchObject(paid)

  const all = [...dust, moved].map((log, i) => world.find(target, i, first + 3n, log.amount))
  const taken = await world.settle(isFinal, {}, { fork: first - 1n })
  expect(await world.payment('crowded')).toMatchObject({ state: 'orphaned', received: '0' })
  const { statementCount, repeatedCount } = await world.settle(
    { safe: first + 3n, final: first + 3n },
    { found: all },
  )
  expect(statementCount).toBeLessThan(60)
  expect([taken.repeatedCount, repeatedCount]).toEqual([0, 0])
  expect(await world.payment('crowded')).toMatchObject({ ...paid, transactionHash: whole.txHash })
})

test('the states of a crowd of payments are saved by a plan for these, not by one that was kept since there were few', async () => {
  const target = await world.openTarget('planned')
  const first = await world.nextBlock()
  const isAnew: (boolean | undefined)[] = []
  for (const count of [1, dustCount]) {
    const found = Array.from({ length: count }, (_, i) => world.find(target, count + i, first))
    await world.settle(
      { safe: first, final: first },
      { found },
      {
        at: (statement, run) => {
          if (statement.name === 'save-payment-states') isAnew.push(statement.isPlannedAnew)
          return run()
        },
      },
    )
  }
  expect(isAnew).toEqual([undefined, true])
})

test('payments that are summed add up to what they add up to one by one', async () => {
  const target = await world.openTarget('summed')
  const first = await world.nextBlock()
  const tags = { safe: first - 1n, final: first - 1n }
  await world.settle(tags, {
    found: Array.from({ length: dustCount }, (_, i) => world.find(target, i, first)),
  })
  // Citus ends with a subscript in such a statement, and all of its connections with it.
  await world.rows(
    `UPDATE payment SET amount = 1 + log_index * 7919 % 1000, block_number = $2::int8 + log_index * 31 % 40,
      is_late = log_index % 3 = 0, rate_e8 = rate_e8 - log_index % 5,
      state = split_part('seen credited unmatched orphaned', ' ', (1 + log_index % 4)::int),
      credited_at = CASE WHEN log_index % 4 = 1 OR log_index % 8 = 3 THEN 1 END
    WHERE receipt_id = $1`,
    [target.receiptId, first],
  )
  const { db } = world.needs
  const all = await listPayments(db, target.merchant, target.receiptId)
  const attempts = await listAttempts(db, target.merchant, target.receiptId)
  const coveredTo = 0 as UnixMs
  for (const upTo of [undefined, first + 3n, first + 100n])
    for (const total of [1n, 20n, 40n, 2_000n])
      for (const isLost of [true, false]) {
        if (!isLost)
          await world.rows('UPDATE payment SET accepted_at = 1 WHERE receipt_id = $1', [target.receiptId])
        else
          await world.rows('UPDATE payment SET accepted_at = NULL WHERE receipt_id = $1', [target.receiptId])
        const read = await readPayments(db, { ...target, ...(upTo !== undefined && { upTo }) })
        expect(read.payments.length).toBeLessThan(dustCount)
        const input = { total: total as Cents, attempts, tags: { ...tags, latest: first + 100n }, coveredTo }
        const payments = all.map((each) => ({ ...each, acceptedAt: isLost ? undefined : (1 as UnixMs) }))
        expect(summarizePayments({ ...input, ...read })).toEqual(summarizePayments({ ...input, payments }))
        const isOpen = payments.filter(({ state, block }) => state === 'seen' && block.number <= (upTo ?? 0n))
        expect(read.payments).toEqual(expect.arrayContaining(isOpen))
      }
})

test('payments too many to be told apart of which none counts are looked at until they are final, and no longer', async () => {
  const target = await world.openTarget('by-hand')
  const first = await world.nextBlock()
  const body = { receiptId: 'by-hand', wallet: target.merchant, status: 'checkout_success' }
  expect((await world.asOwner('POST', '/api/receipts/status', body)).status).toBe(200)
  const found = Array.from({ length: dustCount }, (_, i) => world.find(target, i, first))
  await world.settle({ safe: first - 1n, final: first - 1n }, { found }, { least: 'seen' })
  expect(await world.states(target)).toEqual([{ state: 'unmatched', count: BigInt(dustCount) }])

  const isSafe = { safe: first, final: first - 1n }
  expect(await world.due(isSafe)).toEqual(['by-hand'])
  await world.settle(isSafe, { looks: [target] }, { least: 'seen' })
  expect(await world.due(isSafe)).toEqual([])
  const isFinal = { safe: first, final: first }
  expect(await world.due(isFinal)).toEqual(['by-hand'])
  await world.settle(isFinal, { looks: [target] }, { least: 'seen' })
  expect(await world.due(isFinal)).toEqual([])

  const later = world.find(target, dustCount, first + 1n)
  await world.settle(isFinal, { found: [later] }, { least: 'seen' })
  const seen = `SELECT FROM receipt_history WHERE receipt_id = $1 AND kind = 'payment_seen'`
  expect(await world.rows(seen, [target.receiptId])).toHaveLength(1)
})

test('of receipts that stay due none keeps another from its turn', async () => {
  const ids = ['stays-0', 'stays-1', 'stays-2', 'stays-3', 'waits']
  const first = await world.nextBlock()
  const targets: Target[] = []
  for (const id of ids) targets.push(await world.openTarget(id))
  const found = targets.map((target, i) => world.find(target, i, first))
  await world.settle({ safe: first - 1n, final: first - 1n }, { found })
  const drawn = new Set<string>()
  for (let look = 0; look < 50; look++) {
    const some = await world.due({ safe: first, final: first }, 2)
    expect(some).toHaveLength(2)
    for (const id of some) drawn.add(id)
  }
  expect([...drawn].sort()).toEqual(ids)
})
