import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dateAfter, nightsOf, readStay } from './cart.ts'

const now = Date.UTC(2026, 1, 27, 23, 30)

test.each([
  ['2026-02-27', '2026-02-28', 1],
  ['2026-02-26', '2026-03-01', 3],
  ['2026-03-01', '2026-04-30', 60],
  ['2028-02-26', '2028-03-01', 4],
])('from %s to %s is a stay of %i nights', (arrival, departure, nights) => {
  const stay = readStay(arrival, departure, now)
  expect(stay && nightsOf(stay)).toBe(nights)
})

test.each([
  ['2026-02-25', '2026-03-01'],
  ['2026-03-01', '2026-03-01'],
  ['2026-03-02', '2026-03-01'],
  ['2026-03-01', '2026-05-01'],
  ['2028-03-01', '2028-03-02'],
  ['2026-02-29', '2026-03-02'],
  ['2026-3-1', '2026-03-02'],
  ['', ''],
  [undefined, '2026-03-02'],
])('from %s to %s is none', (arrival, departure) => {
  expect(readStay(arrival, departure, now)).toBeUndefined()
})

test('every stay that is read has as many nights as days lie between its dates', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 700 }), fc.integer({ min: 1, max: 60 }), (ahead, nights) => {
      const stay = readStay(dateAfter(now, ahead), dateAfter(now, ahead + nights), now)
      expect(stay && nightsOf(stay)).toBe(nights)
    }),
  )
})
