import { expect, test } from 'vitest'
import type { Target } from '../../../../src/payments/attempts/targets.ts'
import { mostPayments } from '../../../../src/payments/settlement/record-findings.ts'
import { perCase } from '../../../support/per-file.ts'
import { startCrowd } from './crowd.ts'

/** More than a receipt takes. */
const dustCount = 1_500

const world = perCase(startCrowd)
const cases = () => world.rows('SELECT reason, state, count(*) FROM unmatched_payment GROUP BY 1, 2')

test('of thousands of tiny payments a receipt takes two hundred, the rest are cases, and a buyer still pays it', async () => {
  const target = await world.openTarget('crowded')
  const first = await world.nextBlock()
  const final = { safe: first + 1n, final: first + 1n }
  const dust = Array.from({ length: dustCount }, (_, i) => world.find(target, i, first))
  await world.settle({ safe: first - 1n, final: first - 1n }, { found: dust })
  expect(await world.states(target)).toEqual([{ state: 'seen', count: mostPayments }])
  const rest = BigInt(dustCount) - mostPayments
  expect(await cases()).toEqual([{ reason: 'too-many-payments', state: 'open', count: rest }])

  const whole = world.find(target, dustCount, first + 1n, 20_500_000n)
  await world.settle(final, { found: [whole] })
  const paid = { state: 'over', received: String(20_500_000n + mostPayments), status: 'paid' }
  expect(await world.payment('crowded')).toMatchObject({ ...paid, transactionHash: whole.txHash })
  expect(await world.states(target)).toEqual([{ state: 'credited', count: mostPayments + 1n }])

  await world.settle(final, {}, { fork: first - 1n })
  expect(await world.payment('crowded')).toMatchObject({ state: 'orphaned', received: '0' })
  expect(await cases()).toEqual([{ reason: 'too-many-payments', state: 'orphaned', count: rest }])
  const all = [...dust, whole].map((log, i) => world.find(target, i, first + 3n, log.amount))
  const { statementCount } = await world.settle({ safe: first + 3n, final: first + 3n }, { found: all })
  expect(statementCount).toBeLessThan(60)
  expect(await world.payment('crowded')).toMatchObject({ ...paid, transactionHash: whole.txHash })
  expect(await world.states(target)).toEqual([{ state: 'credited', count: mostPayments + 1n }])
  expect(await cases()).toEqual([{ reason: 'too-many-payments', state: 'open', count: rest }])
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
