import { type Cents, type RateE8, readDecimal, tokenUnitsFor } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import { expect, inject, test } from 'vitest'
import type { TaxRateE6 } from '../pricing/taxes/catalog.ts'
import { taxOn } from '../pricing/taxes/tax-rate.ts'
import { processingFeeCents, valueReceipt } from '../pricing/valuation.ts'
import { parseLines, parseUsdLines } from './making/parse-lines.ts'
import { withLines } from './managing/edit-receipt.ts'
import { customerTotalCents, type Receipt } from './receipt.ts'
import { viewListItem } from './viewing/view-receipt.ts'

declare module 'vitest' {
  interface ProvidedContext {
    receiptCount: number
  }
}

const quotedAt = 1_700_000_000_000 as UnixMs
const seed = 20_260_115n

test(`no cent drifts in ${inject('receiptCount')} random receipts`, { timeout: 3_600_000 }, () => {
  const random = generator(seed)
  for (let i = 0; i < inject('receiptCount'); i++) {
    const state = random.state()
    try {
      if (random.below(2n) === 0n) checkNative(random)
      else checkLegacy(random)
    } catch (error) {
      throw new Error(`receipt ${i}, generator at ${state}`, { cause: error })
    }
  }
})

function checkNative(random: Generator): void {
  const cents = randomLines(random)
  const lineItems = cents.map((amount) => ({ label: 'x', amount: wire(amount) }))
  const parsed = parse({ id: 'r', currency: 'EUR', lineItems })
  same(parsed.totalCents, total(cents), 'native total')
  const nativeLines = parsed.lines.map((line) => ('nativeCents' in line ? line.nativeCents : (0n as Cents)))
  sameAll(nativeLines, cents, 'native lines')

  const usdPerUnit = (
    random.below(9n) === 0n ? 1n + random.below(10n ** 12n) : 50_000_000n + random.below(150_000_000n)
  ) as RateE8
  const quote = { usdPerUnit, quotedAt, provider: 'test' }
  const valued = valueReceipt({ currency: 'EUR', lines: nativeLines }, quote)
  same(valued.total, roundedModel(total(cents) * usdPerUnit, 100_000_000n), 'total in dollars')
  same(total(valued.lines), valued.total, 'sum of the lines in dollars')
  const largest = largestModel(cents)
  valued.lines.forEach((line, i) => {
    if (i !== largest)
      same(line, roundedModel((cents[i] ?? 0n) * usdPerUnit, 100_000_000n), 'line in dollars')
  })
  const originalLines = nativeLines.map((nativeCents) => ({ label: 'x', qty: undefined, nativeCents }))
  const receipt = make({
    format: 'native',
    currency: 'EUR',
    totalCents: valued.total,
    nativeTotalCents: parsed.totalCents,
    lines: originalLines.map((line, i) => ({
      ...line,
      usdCents: valued.lines[i] ?? (0n as Cents),
      sentUsdCents: undefined,
    })),
    pricing: { valuation: valued.valuation, originalTotal: parsed.totalCents, originalLines },
  })
  checkWire(receipt)
  if (receipt.totalCents > 0n) checkOnward(random, receipt)
}

function checkLegacy(random: Generator): void {
  const cents = randomLines(random)
  const quantities = cents.map(() => (random.below(3n) === 0n ? 1n + random.below(5_000_000n) : undefined))
  const isPerUnit = random.below(2n) === 0n
  const extended = cents.map((price, i) =>
    isPerUnit ? roundedModel(price * (quantities[i] ?? 1_000_000n), 1_000_000n) : price,
  )
  const sum = total(extended)
  if (sum <= 0n || sum > 100_000_000_000n) return
  const lineItems = cents.map((price, i) => {
    const qty = quantities[i]
    return { label: 'x', priceUsd: wire(price), ...(qty !== undefined && { qty: Number(qty) / 1e6 }) }
  })
  const parsed = parse({ id: 'r', totalUsd: wire(sum), lineItems })
  same(parsed.totalCents, sum, 'total')
  const lines = parsed.lines.map((line) => ('usdCents' in line ? line.usdCents : (0n as Cents)))
  same(total(lines), parsed.totalCents, 'sum of the lines')
  const stored = parsed.lines.map((line) => ({ ...line, nativeCents: undefined })) as Receipt['lines']
  const receipt = make({ totalCents: parsed.totalCents, lines: stored })
  checkWire(receipt)
  checkOnward(random, receipt)
}

function checkWire(receipt: Receipt): void {
  const shown = JSON.parse(JSON.stringify(viewListItem(receipt, 0 as UnixMs)))
  same(readDecimal(shown.totalUsd, 2), receipt.totalCents, 'total on the wire')
  receipt.lines.forEach((line, i) => {
    same(readDecimal(shown.lineItems[i].priceUsd, 2), line.sentUsdCents ?? line.usdCents, 'line on the wire')
    if (line.nativeCents !== undefined)
      same(readDecimal(shown.lineItems[i].amount, 2), line.nativeCents, 'amount')
  })
  if (receipt.nativeTotalCents !== undefined)
    same(readDecimal(shown.total, 2), receipt.nativeTotalCents, 'native total')
  if (receipt.pricing)
    same(readDecimal(shown.pricing.originalTotal, 2), receipt.pricing.originalTotal, 'original')
}

function checkOnward(random: Generator, before: Receipt): void {
  const pct = random.below(2_001n)
  const feeCents = processingFeeCents(before.totalCents, pct)
  same(feeCents, roundedModel(before.totalCents * pct, 10_000n), 'fee')
  const rate = random.below(1_000_001n) as TaxRateE6
  same(taxOn(before.totalCents, rate), roundedModel(before.totalCents * rate, 1_000_000n), 'tax')

  const due = customerTotalCents({ ...before, feeCents })
  const token = tokenKinds[Number(random.below(BigInt(tokenKinds.length)))] ?? { decimals: 6 }
  const usdPerToken = (1n + random.below(10n ** 13n)) as RateE8
  const units = tokenUnitsFor(due, usdPerToken, token.decimals)
  const worth = (of: bigint) => of * usdPerToken
  const owed = due * 10n ** BigInt(token.decimals + 6)
  if (worth(units) < owed || worth(units - 1n) >= owed)
    throw new Error('due in a token is not the fewest units that do')

  const prices = randomLines(random)
  const sum = total(prices)
  if (sum <= 0n) return
  const lineItems = prices.map((price) => ({ label: 'y', priceUsd: wire(price) }))
  const edit = parseUsdLines({ lineItems }, refuse)
  if (!edit) throw new Error('an edit is parsed')
  const after: Receipt = { ...before, ...withLines({ ...before, feeHundredths: pct }, edit) }
  same(after.totalCents, sum, 'edited total')
  same(total(after.lines.map(({ usdCents }) => usdCents)), sum, 'sum of the edited lines')
  if (after.pricing !== before.pricing) throw new Error('an edit changed what the receipt was made with')
  if (after.pricing) {
    const { usdPerUnit } = after.pricing.valuation
    same(after.nativeTotalCents, roundedModel(sum * 100_000_000n, usdPerUnit), 'edited native total')
    const native = after.lines.map((line) => line.nativeCents ?? 0n)
    same(total(native), after.nativeTotalCents, 'sum of the edited native lines')
  }
  same(after.feeCents, roundedModel(sum * pct, 10_000n), 'edited fee')
  // Amounts beyond the accepted maximum are not exact as wire numbers.
  if (native(after).every((cents) => cents <= 100_000_000_000n && cents >= -100_000_000_000n))
    checkWire(after)
}

function native({ lines, nativeTotalCents = 0n as Cents }: Receipt): bigint[] {
  return [nativeTotalCents, ...lines.map((line) => line.nativeCents ?? 0n)]
}

function parse(body: Parameters<typeof parseLines>[0]) {
  const parsed = parseLines(body, refuse)
  if (!parsed) throw new Error('a good body is parsed')
  return parsed
}

function refuse(path: string, message: string): never {
  throw new Error(`${path} ${message}`)
}

function randomLines(random: Generator): bigint[] {
  const cents: bigint[] = []
  const count = 1n + random.below(8n)
  for (let i = 0n; i < count; i++) {
    const size = random.below(10n ** (1n + random.below(9n)))
    cents.push(random.below(5n) === 0n ? -size : size)
  }
  const sum = total(cents)
  return sum > 0n ? cents : [...cents, 1n - sum + random.below(1_000n)]
}

function wire(cents: bigint): number {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0')
  return Number(`${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`)
}

/**
 * Rounds half away from zero with quotient and remainder. The code under test doubles both operands instead.
 */
function roundedModel(dividend: bigint, divisor: bigint): bigint {
  const size = dividend < 0n ? -dividend : dividend
  const rest = size % divisor
  const rounded = size / divisor + (rest >= divisor - rest ? 1n : 0n)
  return dividend < 0n ? -rounded : rounded
}

function largestModel(cents: readonly bigint[]): number {
  const sizes = cents.map((each) => (each < 0n ? -each : each))
  return sizes.findIndex((size) => sizes.every((other) => other <= size))
}

function total(cents: readonly bigint[]): bigint {
  return cents.reduce((sum, each) => sum + each, 0n)
}

function same(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected) expect(actual, what).toBe(expected)
}

function sameAll(actual: readonly unknown[], expected: readonly unknown[], what: string): void {
  same(actual.length, expected.length, what)
  for (const [i, each] of expected.entries()) same(actual[i], each, what)
}

type Generator = { below(limit: bigint): bigint; state(): bigint }

/** SplitMix64 generator. The same start value reproduces the same receipt. */
function generator(start: bigint): Generator {
  const mask = (1n << 64n) - 1n
  let state = start
  return {
    state: () => state,
    below(limit) {
      state = (state + 0x9e3779b97f4a7c15n) & mask
      let mixed = state
      mixed = ((mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n) & mask
      mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & mask
      return (mixed ^ (mixed >> 31n)) % limit
    },
  }
}

function make(money: Partial<Receipt>): Receipt {
  return {
    id: 'r',
    status: 'pending',
    format: 'legacy',
    currency: 'USD',
    feeCents: 0n,
    feeHundredths: 0n,
    nativeTotalCents: undefined,
    pricing: undefined,
    brandName: 'Sluice',
    createdAt: quotedAt,
    ...money,
  } as unknown as Receipt
}
