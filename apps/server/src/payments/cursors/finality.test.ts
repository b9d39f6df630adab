import type { Cents } from '@sluice/protocol/money.ts'
import { expect, test } from 'vitest'
import { finalityOf, hasReached, makeFinalityPolicy, requiredFinality } from './finality.ts'

const cases: [bigint, string, string][] = [
  [1n, 'seen', 'safe'],
  [9_999n, 'seen', 'safe'],
  [10_000n, 'safe', 'safe'],
  [99_999n, 'safe', 'safe'],
  [100_000n, 'final', 'final'],
]

test.each(cases)('%s cents have to be %s, with one endpoint in production %s', (cents, usual, careful) => {
  const required = (isProduction: boolean, endpointCount: number) =>
    requiredFinality(makeFinalityPolicy({ isProduction, endpointCount }), cents as Cents)
  expect(required(false, 1)).toBe(usual)
  expect(required(true, 2)).toBe(usual)
  expect(required(true, 1)).toBe(careful)
})

test('a block is as sure as the tags say, the tagged block included', () => {
  const tags = { latest: 30n, safe: 20n, final: 10n }
  const sure = [10n, 11n, 20n, 21n].map((block) => finalityOf(tags, block))
  expect(sure).toEqual(['final', 'safe', 'safe', 'seen'])
  expect(hasReached(tags, 20n, 'safe')).toBe(true)
  expect(hasReached(tags, 21n, 'safe')).toBe(false)
  expect(hasReached(tags, 10n, 'seen')).toBe(true)
})
