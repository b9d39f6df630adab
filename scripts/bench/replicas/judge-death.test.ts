import { expect, test } from 'vitest'
import { judgeDeath } from './judge-death.ts'
import type { Asked } from './spread-load.ts'

/** One request every 10 ms, each of 5 ms, but for a gap. */
function steady(to: number, gap: readonly [begin: number, end: number] = [0, 0]): Asked[] {
  const ends = Array.from({ length: to / 10 }, (_, i) => i * 10)
  return ends.filter((at) => at < gap[0] || at >= gap[1]).map((at) => [at, 5, true])
}

const times = { from: 0, killedAt: 5_000, to: 15_000 }

test('a load that does not notice is back at once, and loses nothing', () => {
  expect(judgeDeath(steady(15_000), times)).toEqual({
    lost: 0,
    perSecondBefore: 100,
    perSecondAfter: 100,
    backAfterMs: 0,
    p99BeforeMs: 5,
    p99AroundMs: 5,
  })
})

test('after a gap it is back where as many are answered again, and what was lost is counted', () => {
  const asked: Asked[] = [...steady(15_000, [5_000, 6_000]), [5_001, 700, false]]
  for (let i = 0; i < 5; i++) asked.push([6_010, 1_000, true])
  const { lost, backAfterMs, p99AroundMs, p99BeforeMs } = judgeDeath(asked, times)
  expect(lost).toBe(1)
  expect(backAfterMs).toBe(900)
  expect(p99AroundMs).toBe(1_000)
  expect(p99BeforeMs).toBe(5)
})

test('a load that never comes back is said not to', () => {
  const { backAfterMs, perSecondAfter } = judgeDeath(steady(15_000, [5_000, 15_000]), times)
  expect(backAfterMs).toBeUndefined()
  expect(perSecondAfter).toBe(0)
})
