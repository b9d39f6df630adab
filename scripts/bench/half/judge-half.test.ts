import { expect, test } from 'vitest'
import { type HalfRound, isHalfReached } from './judge-half.ts'

const round = (bareP99: number, p99: number): HalfRound => ({
  limit: { perSecond: 4_000, p99: 5, program: 'pgbench' },
  bareP99,
  perSecond: 2_000,
  p50: 2,
  p99,
  p99s: [p99],
  delayP99Ms: 8,
  collections: 0,
})
const isReached = (rounds: readonly HalfRound[]) =>
  isHalfReached({ work: 'detail', program: 'pgbench', rounds }, 3, 0.1)

test('the median of the rounds counts in which the machine was not late', () => {
  const late = [round(80, 300), round(40, 90)]
  expect(isReached([round(2, 12), round(3, 40), ...late, round(9, 19)])).toBe(true)
  expect(isReached([round(2, 12), round(3, 40), ...late, round(9, 23)])).toBe(false)
})

test('a machine that was late in too many rounds says nothing good of the service', () => {
  expect(isReached([round(2, 12), round(3, 12), round(11, 12)])).toBe(false)
  expect(isReached([])).toBe(false)
})
