import type { UnixMs } from '@sluice/protocol/time.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forAll } from '../../../test/support/test-random.ts'
import { nextStep } from './settle-attempt.ts'

const createdAt = 1_700_000_000_000 as UnixMs
const tenDays = 864_000_000

test('the second attempt follows the first after five seconds, in the same cycle', () => {
  const again = { kind: 'again', at: createdAt + 5_000, startsCycle: false }
  expect(nextStep(1, createdAt, createdAt)).toEqual(again)
})

test('however late the first attempt was, it gets its second', () => {
  const late = (createdAt + 20 * tenDays) as UnixMs
  expect(nextStep(1, createdAt, late)).toMatchObject({ kind: 'again', at: late + 5_000 })
  expect(nextStep(2, createdAt, late)).toEqual({ kind: 'exhausted' })
})

test('with failures that take up to five seconds, there are at least 16 attempts, the last one at day 10', () => {
  forAll(fc.array(fc.nat(5_000), { minLength: 40, maxLength: 40 }), (durations) => {
    let at = createdAt
    const starts: number[] = []
    for (const [i, duration] of durations.entries()) {
      starts.push(at)
      const failedAt = (at + duration) as UnixMs
      const next = nextStep(i + 1, createdAt, failedAt)
      if (next.kind === 'exhausted') break
      expect(next.at).toBeGreaterThan(failedAt - 1)
      at = next.at
    }
    expect(starts.length).toBeGreaterThanOrEqual(16)
    expect(starts.at(-1)).toBe(createdAt + tenDays)
  })
})
