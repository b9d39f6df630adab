import { expect, test } from 'vitest'
import { isAhead } from './clock.ts'

test('an instant is ahead until it comes, and not where only a wrong clock can have set it', () => {
  expect(isAhead(1_000, 999, 10)).toBe(true)
  expect(isAhead(1_000, 990, 10)).toBe(true)
  expect(isAhead(1_000, 1_000, 10)).toBe(false)
  expect(isAhead(1_000, 989, 10)).toBe(false)
})
