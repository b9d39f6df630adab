import { isMadeReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { expect, test } from 'vitest'
import { generateId, makeReceiptId, timeOfId } from './generate-id.ts'
import { randomUuid, systemRandom } from './random.ts'

test('ids of later milliseconds sort later', () => {
  const ids = [1, 2, 1_700_000_000_000, 1_700_000_000_001].map((at) => generateId(at as UnixMs, systemRandom))
  expect(ids.toSorted()).toEqual(ids)
  expect(ids.every((id) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(id))).toBe(true)
})

test('an id says when it was made', () => {
  for (const at of [0, 1_700_000_000_001, 2 ** 48 - 1] as UnixMs[])
    expect(timeOfId(generateId(at, systemRandom))).toBe(at)
})

test('a made receipt id has the form that is kept for Sluice', () => {
  const ids = Array.from({ length: 100 }, () => makeReceiptId(systemRandom))
  expect(ids.every(isMadeReceiptId)).toBe(true)
  expect(new Set(ids).size).toBe(100)
})

test('a UUID is of version 4', () => {
  expect(randomUuid(systemRandom)).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  )
})
