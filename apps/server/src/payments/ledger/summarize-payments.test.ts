import type { Cents, RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { usdc } from '@sluice/protocol/tokens/usdc.ts'
import { usdt } from '@sluice/protocol/tokens/usdt.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../chain/chain.ts'
import type { Attempt } from '../attempts/attempt.ts'
import type { Payment } from './payment.ts'
import { summarizePayments } from './summarize-payments.ts'

const hash: Hex = `0x${'1'.repeat(64)}`
const token = { ...usdc, address: nativeAddress }
const tags = { latest: 100n, safe: 90n, final: 80n }

const attempt = (more: Partial<Attempt> = {}): Attempt => ({
  merchant: nativeAddress,
  id: 'attempt',
  receiptId: 'receipt' as ReceiptId,
  chain: 31337,
  token,
  totalCents: 1_000n as Cents,
  dueCents: 1_000n as Cents,
  amount: 10_000_000n as TokenUnits,
  rate: 100_000_000n as RateE8,
  quote: { quotedAt: 0 as UnixMs, provider: 'fixed', inputs: [] },
  reference: hash,
  depositAddress: nativeAddress,
  factory: nativeAddress,
  splitAddress: nativeAddress,
  splitVersion: 1n,
  payer: undefined,
  provider: undefined,
  openedBlock: 0n,
  createdAt: 0 as UnixMs,
  expiresAt: 900_000 as UnixMs,
  askedAt: undefined,
  closedAt: undefined,
  ...more,
})

const payment = (dollars: number, more: Partial<Payment> = {}): Payment => ({
  merchant: nativeAddress,
  receiptId: 'receipt' as ReceiptId,
  attemptId: 'attempt',
  txHash: hash,
  logIndex: 0,
  address: '',
  kind: 'transfer',
  token,
  units: BigInt(dollars * 1_000_000) as TokenUnits,
  source: undefined,
  acceptedAt: undefined,
  payer: undefined,
  rate: 100_000_000n as RateE8,
  isLate: false,
  block: { number: 95n, hash, at: 1_000 as UnixMs },
  state: 'credited',
  seenAt: 0 as UnixMs,
  creditedAt: 0 as UnixMs,
  ...more,
})

const summarize = (payments: Payment[], attempts = [attempt()], coveredTo = 0) =>
  summarizePayments({ total: 1_000n as Cents, attempts, payments, tags, coveredTo: coveredTo as UnixMs })

const seen = { state: 'seen', creditedAt: undefined } as const
const gone = { state: 'orphaned' } as const

test('without an attempt there is nothing to say', () => expect(summarize([], [])).toBeUndefined())

describe('the state', () => {
  test.each<[string, Payment[]]>([
    ['awaiting', []],
    ['short', [payment(4)]],
    ['short', [payment(4, seen), payment(5, seen)]],
    ['seen', [payment(4), payment(6, seen)]],
    ['paid', [payment(10)]],
    ['paid', [payment(10.009)]],
    ['over', [payment(10.01)]],
    ['late', [payment(10, { isLate: true })]],
    ['orphaned', [payment(10, gone)]],
    ['orphaned', [payment(4), payment(6, gone)]],
    ['paid', [payment(10), payment(6, gone)]],
    ['awaiting', [payment(10, { ...gone, creditedAt: undefined })]],
    ['awaiting', [payment(10, { state: 'unmatched' })]],
  ])('%s', (state, payments) => expect(summarize(payments)?.state).toBe(state))

  test('is expired once nothing that was in time can turn up', () => {
    expect(summarize([], [attempt()], 899_999)?.state).toBe('awaiting')
    expect(summarize([], [attempt()], 900_000)?.state).toBe('expired')
    expect(summarize([], [attempt({ closedAt: 1 as UnixMs })])?.state).toBe('expired')
  })
})

test('it is as sure as the least sure of its payments', () => {
  const at = (number: bigint) => payment(1, { block: { number, hash, at: 0 as UnixMs } })
  expect(summarize([])?.finality).toBe('none')
  expect(summarize([at(80n)])?.finality).toBe('final')
  expect(summarize([at(80n), at(90n)])?.finality).toBe('safe')
  expect(summarize([at(80n), at(91n)])).toMatchObject({ finality: 'seen', blockNumber: 91n })
})

test('what was received is told in the tokens that moved', () => {
  const other = { ...usdt, address: `0x${'22'.repeat(20)}` as Wallet }
  const summary = summarize([
    payment(4, { token: other }),
    payment(6, { block: { number: 96n, hash, at: 0 as UnixMs } }),
  ])
  expect(summary).toMatchObject({ token: 'USDC', received: 6_000_000n, creditedCents: 1_000n })
  expect(summary?.others).toEqual([{ token: 'USDT', decimals: 6, units: 4_000_000n }])
})

test('received, missing and excess add up to what is due', () => {
  for (const dollars of [0.000001, 3, 9.999999, 10, 10.000001, 25]) {
    const summary = summarize([payment(dollars)])
    expect((summary?.received ?? 0n) + (summary?.missing ?? 0n) - (summary?.excess ?? 0n)).toBe(summary?.due)
  }
})
