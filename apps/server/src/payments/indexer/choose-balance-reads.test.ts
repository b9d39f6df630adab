import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Hex } from '../../chain/chain.ts'
import type { Target } from '../attempts/targets.ts'
import { chooseBalanceReads, turnSeconds } from './choose-balance-reads.ts'

const target = (n: number, hintedAt?: number): Target => ({
  merchant: nativeAddress,
  attemptId: `${n}`,
  receiptId: `${n}` as ReceiptId,
  reference: '0x' as Hex,
  depositAddress: `0x${(n * 2_654_435_761).toString(16).padStart(40, '0').slice(-40)}` as Wallet,
  splitAddress: nativeAddress,
  tokenAddress: nativeAddress,
  expiresAt: 0 as UnixMs,
  hintedAt: hintedAt as UnixMs | undefined,
})
const many = Array.from({ length: 3_000 }, (_, i) => target(i))
const none = { now: 0 as UnixMs, touched: new Set<Wallet>(), ending: new Set<Wallet>() }
const still = { ...none, from: 0 as UnixMs, to: 0 as UnixMs }

test('five hundred are read with every block', () => {
  const few = many.slice(0, 500)
  expect(chooseBalanceReads(few, { ...none, from: 0 as UnixMs, to: 2_000 as UnixMs })).toEqual(few)
})

test('of more, each has its turn once within a minute, however the blocks come', () => {
  fc.assert(
    fc.property(
      fc.nat(1_800_000_000),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 60 }),
      (start, steps) => {
        const seen = new Map<Target, number>()
        let at = start
        for (const step of steps) {
          const to = Math.min(at + step, start + turnSeconds)
          const signs = { ...none, from: (at * 1_000) as UnixMs, to: (to * 1_000) as UnixMs }
          if (to > at)
            for (const each of chooseBalanceReads(many, signs)) seen.set(each, (seen.get(each) ?? 0) + 1)
          at = to
        }
        expect(seen.size).toBe(many.length)
        expect(new Set(seen.values())).toEqual(new Set([1]))
      },
    ),
    { numRuns: 20 },
  )
})

test('those the blocks name, and those whose buyer says that something was sent, are read at once', () => {
  const [named, hinted] = [many[7] as Target, target(5_000, 1_000_000)]
  const signs = { ...still, now: 1_060_000 as UnixMs, touched: new Set([named.depositAddress]) }
  expect(chooseBalanceReads([...many, hinted], signs)).toEqual([named, hinted])
  expect(chooseBalanceReads([...many, hinted], { ...signs, now: 1_120_000 as UnixMs })).toEqual([named])
})

test('those that end with the blocks are read whatever their turn, and once', () => {
  const ending = many.slice(0, 50)
  const signs = { ...still, ending: new Set(ending.map(({ depositAddress }) => depositAddress)) }
  const read = chooseBalanceReads(many, { ...signs, to: 30_000 as UnixMs })
  expect(read).toEqual(expect.arrayContaining(ending))
  expect(new Set(read).size).toBe(read.length)
  expect(read.length).toBeLessThan(many.length)
  expect(chooseBalanceReads(many, signs)).toEqual(ending)
})
