import { expect, test } from 'vitest'
import { percentile } from './percentile.ts'

test('a percentile is the least figure that so many do not exceed', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => 100 - i)
  expect(percentile(hundred, 0.5)).toBe(50)
  expect(percentile(hundred, 0.99)).toBe(99)
  expect(percentile(hundred, 1)).toBe(100)
  expect(percentile([7], 0.99)).toBe(7)
  expect(percentile([], 0.99)).toBe(0)
})

test('one slow figure among fifty is in the 99th percentile, one among two hundred is not', () => {
  const withOne = (count: number) => [...Array.from({ length: count - 1 }, () => 1), 900]
  expect(percentile(withOne(50), 0.99)).toBe(900)
  expect(percentile(withOne(200), 0.99)).toBe(1)
})
