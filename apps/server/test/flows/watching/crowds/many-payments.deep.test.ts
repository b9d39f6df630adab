import { expect, test } from 'vitest'
import type { Target } from '../../../../src/payments/attempts/targets.ts'
import { mostPayments } from '../../../../src/payments/settlement/record-findings.ts'
import { perCase } from '../../../support/per-file.ts'
import { startCrowd } from './crowd.ts'

const dustCount = 1_500

const context = perCase(startCrowd)
const cases = () => context.rows('SELECT reason, state, count(*) FROM unmatched_payment GROUP BY 1, 2')

test('of thousands of tiny payments a receipt takes two hundred, the rest are cases, and a buyer still pays it', async () => {
  const target = await context.openTarget('crowded')
  const first = await context.nextBlock()
  const final = { safe: first + 1n, final: first + 1n }
  const dust = Array.from({ length: dustCount }, (_, i) => context.find(target, i, first))
  await context.settle({ safe: first - 1n, final: first - 1n }, dust)
  expect(await context.states(target)).toEqual([{ state: 'seen', count: mostPayments }])
  const rest = BigInt(dustCount) - mostPayments
  expect(await cases()).toEqual([{ reason: 'too-many-payments', state: 'open', count: rest }])

  const whole = context.find(target, dustCount, first + 1n, 20_500_000n)
  await context.settle(final, [whole])
  const paid = { state: 'over', received: String(20_500_000n + mostPayments), status: 'paid' }
  expect(await context.payment('crowded')).toMatchObject({ ...paid, transactionHash: whole.txHash })
  expect(await context.states(target)).toEqual([{ state: 'credited', count: mostPayments + 1n }])

  await context.settle(final, [], { fork: first - 1n })
  expect(await context.payment('crowded')).toMatchObject({ state: 'orphaned', received: '0' })
  expect(await cases()).toEqual([{ reason: 'too-many-payments', state: 'orphaned', count: rest }])
  const all = [...dust, whole].map((log, i) => context.find(target, i, first + 3n, log.amount))
  const { statementCount } = await context.settle({ safe: first + 3n, final: first + 3n }, all)
  expect(statementCount).toBeLessThan(60)
  expect(await context.payment('crowded')).toMatchObject({ ...paid, transactionHash: whole.txHash })
  expect(await context.states(target)).toEqual([{ state: 'credited', count: mostPayments + 1n }])
  expect(await cases()).toEqual([{ reason: 'too-many-payments', state: 'open', count: rest }])
})

test('of receipts that stay due none keeps another from its turn', async () => {
  const ids = ['stays-0', 'stays-1', 'stays-2', 'stays-3', 'waits']
  const first = await context.nextBlock()
  const targets: Target[] = []
  for (const id of ids) targets.push(await context.openTarget(id))
  const found = targets.map((target, i) => context.find(target, i, first))
  await context.settle({ safe: first - 1n, final: first - 1n }, found)
  const drawn = new Set<string>()
  for (let look = 0; look < 50; look++) {
    const some = await context.due({ safe: first, final: first }, 2)
    expect(some).toHaveLength(2)
    for (const id of some) drawn.add(id)
  }
  expect([...drawn].sort()).toEqual(ids)
})
