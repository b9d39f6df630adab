import { expect, test } from 'vitest'
import type { Target } from '../../../../src/payments/attempts/targets.ts'
import { mostInTurn } from '../../../../src/payments/settlement/settle-each.ts'
import { listAllSetAside } from '../../../../src/platform/jobs/set-aside-store.ts'
import { perCase } from '../../../support/per-file.ts'
import { startCrowd } from './crowd.ts'

const dustCount = 2 * mostInTurn + 1_000

const world = perCase(startCrowd)

const dustOf = (target: Target, block: bigint, count = dustCount) =>
  Array.from({ length: count }, (_, i) => world.find(target, i, block, 2_000n))

/** Looks at a receipt until nothing of it waits. */
async function lookUntilDone(target: Target, sure: { safe: bigint; final: bigint }): Promise<void> {
  while ((await world.due(sure)).length > 0) await world.settle(sure, { looks: [target] })
}

const outcomeOf = async ({ receiptId }: Target) => ({
  states: await world.rows(
    `SELECT log_index, state, block_number FROM payment WHERE receipt_id = $1 ORDER BY 1`,
    [receiptId],
  ),
  cases: await world.rows(
    `SELECT log_index, reason FROM unmatched_payment WHERE receipt_id = $1 ORDER BY 1`,
    [receiptId],
  ),
  receipt: await world.rows('SELECT status, payment, paid_units FROM receipt WHERE id = $1', [receiptId]),
})

test('what was kept for a receipt that could not be settled is settled in turns, with what came since after it, as all at once', async () => {
  const [whole, kept] = [await world.openTarget('whole'), await world.openTarget('kept')]
  const first = await world.nextBlock()
  const sure = { safe: first + 1n, final: first + 1n }
  const shift = (target: Target, mark: string) =>
    dustOf(target, first).map((found) => ({ ...found, txHash: `0x${mark}${found.txHash.slice(3)}` as const }))
  const later = (target: Target, mark: string) => {
    const found = world.find(target, dustCount, first + 1n, 7_000_000n)
    return { ...found, txHash: `0x${mark}${found.txHash.slice(3)}` as const }
  }
  await world.settle(sure, { found: shift(whole, 'a') })
  await lookUntilDone(whole, sure)
  await world.settle(sure, { found: [later(whole, 'a')] })

  const breakAttempt = (token: string) =>
    world.rows(`UPDATE attempt SET token = $1 WHERE receipt_id = 'kept'`, [token])
  await breakAttempt('none')
  await world.settle(sure, { found: shift(kept, 'b') })
  expect(await world.states(kept)).toEqual([])
  await breakAttempt('USDC')
  await world.rows('UPDATE set_aside SET next_try = 0')

  const rounds = [{ found: [] }, { found: [later(kept, 'b')] }, { found: [] }]
  const counts: number[] = []
  for (const round of rounds) {
    const { mostAtOnce } = await world.settle(sure, round)
    expect(mostAtOnce).toBeLessThanOrEqual(mostInTurn)
    const { states, cases } = await outcomeOf(kept)
    counts.push(states.length + cases.length)
  }
  expect(counts).toEqual([mostInTurn, 2 * mostInTurn, dustCount + 1])
  expect(await listAllSetAside(world.needs.db, 10)).toEqual([])
  expect(await world.rows('SELECT FROM set_aside_news')).toEqual([])
  await lookUntilDone(kept, sure)
  const [one, other] = [await outcomeOf(whole), await outcomeOf(kept)]
  expect(other).toEqual(one)
})
