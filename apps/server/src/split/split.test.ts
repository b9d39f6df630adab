import type { Bps } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forAll } from '../../test/support/test-random.ts'
import { partsOf, type Recipient, remainderOf } from './split.ts'

const units = fc.bigInt({ min: 0n, max: 10n ** 30n })

describe('the parts of an arrival', () => {
  test('and the remainder carried out equal the amount and the remainder carried in, exactly', () => {
    forAll(recipients(), units, units, (rows, receivedBefore, amount) => {
      const receivedAfter = receivedBefore + amount
      const parts = partsOf({ amount, receivedAfter }, rows)
      const given = parts.reduce((sum, part) => sum + part.units, 0n)
      expect(given + remainderOf(receivedAfter, rows)).toBe(amount + remainderOf(receivedBefore, rows))
    })
  })

  test('over any way of cutting a sum into arrivals, add up to what the sum at once would give', () => {
    forAll(recipients(), fc.array(units, { minLength: 1, maxLength: 20 }), (rows, amounts) => {
      const sums = rows.map(() => 0n)
      let receivedAfter = 0n
      for (const amount of amounts) {
        receivedAfter += amount
        for (const [i, part] of partsOf({ amount, receivedAfter }, rows).entries()) {
          sums[i] = (sums[i] ?? 0n) + part.units
        }
      }
      const atOnce = partsOf({ amount: receivedAfter, receivedAfter }, rows)
      expect(sums).toEqual(atOnce.map((part) => part.units))
    })
  })

  test('are never negative, and the remainder stays below one base unit a recipient', () => {
    forAll(recipients(), units, units, (rows, receivedBefore, amount) => {
      const receivedAfter = receivedBefore + amount
      for (const part of partsOf({ amount, receivedAfter }, rows)) expect(part.units >= 0n).toBe(true)
      const remainder = remainderOf(receivedAfter, rows)
      expect(remainder >= 0n && remainder < BigInt(rows.length)).toBe(true)
    })
  })
})

/** Generates recipients whose shares add up to 10000. */
function recipients(): fc.Arbitrary<Recipient[]> {
  return fc.uniqueArray(fc.integer({ min: 1, max: 9_999 }), { maxLength: 49 }).map((cuts) => {
    const edges = [0, ...cuts.sort((a, b) => a - b), 10_000]
    return edges.slice(1).map((edge, i) => ({
      address: `0x${(i + 1).toString(16).padStart(40, '0')}` as Wallet,
      sharesBps: (edge - (edges[i] ?? 0)) as Bps,
    }))
  })
}
