import type { CreateReceiptRequest } from '@sluice/protocol/api/receipts/receipts.ts'
import {
  type Cents,
  divideHalfAway,
  formatUnits,
  type MoneyError,
  maxCents,
  readCents,
  readCentsRounded,
  readDecimal,
} from '@sluice/protocol/money.ts'
import { pathOf } from '../../kernel/api-error.ts'
import type { Currency } from '../receipt.ts'

export type LegacyLines = {
  readonly format: 'legacy'
  readonly currency: 'USD'
  readonly totalCents: Cents
  readonly lines: readonly {
    label: string
    qty: number | undefined
    usdCents: Cents
    sentUsdCents: Cents
  }[]
}

export type RequestedLines =
  | LegacyLines
  | {
      readonly format: 'native'
      readonly currency: Currency
      readonly totalCents: Cents
      readonly lines: readonly { label: string; qty: number | undefined; nativeCents: Cents }[]
    }

type Fault = (path: string, message: string) => void

/**
 * Parses the lines of a body that passed its schema. Returns `undefined` after at least one call of `error`.
 */
export function parseLines(body: CreateReceiptRequest, error: Fault): RequestedLines | undefined {
  const currency = (body.currency ?? 'USD').toUpperCase()
  if (currency !== 'USD' && currency !== 'EUR') {
    error('currency', 'must be USD or EUR')
    return undefined
  }
  const hasNative = body.total !== undefined || body.lineItems.some((line) => line.amount !== undefined)
  const hasLegacy = body.totalUsd !== undefined || body.lineItems.some((line) => line.priceUsd !== undefined)
  if (hasNative && hasLegacy) {
    error('lineItems', 'amount and total cannot be combined with priceUsd and totalUsd')
    return undefined
  }
  if (hasNative) return parseNative(body, currency, error)
  if (currency !== 'USD') {
    error('currency', `lines in ${currency} must use amount instead of priceUsd`)
    return undefined
  }
  return parseLegacy(body, error)
}

function parseNative(
  body: CreateReceiptRequest,
  currency: Currency,
  error: Fault,
): RequestedLines | undefined {
  const { note, hasAny } = noting(error)
  const lines = body.lineItems.map((line, i) => ({
    label: line.label,
    qty: line.qty,
    nativeCents: orError(readCents(line.amount), note, 'lineItems', i, 'amount'),
  }))
  const totalCents = sum(lines.map((line) => line.nativeCents))
  const stated = body.total === undefined ? totalCents : orError(readCents(body.total), note, 'total')
  if (hasAny()) return undefined
  if (stated !== totalCents) {
    error('total', `must equal the sum of the lines, ${formatUnits(totalCents, 2)}`)
    return undefined
  }
  if (!isTotal(totalCents, 'total', error)) return undefined
  return { format: 'native', currency, totalCents, lines }
}

function parseLegacy(body: CreateReceiptRequest, error: Fault): LegacyLines | undefined {
  if (body.totalUsd !== undefined) return parseUsdLines(body, error)
  error('totalUsd', 'is required with priceUsd lines')
  return undefined
}

/**
 * Parses lines in US dollars. Callers send `priceUsd` per line or per unit; the stated total decides which.
 * Without a total, each price is for the whole line.
 *
 * See docs/contract.md#amounts-and-rounding.
 */
export function parseUsdLines(
  body: Pick<CreateReceiptRequest, 'lineItems' | 'totalUsd'>,
  error: Fault,
): LegacyLines | undefined {
  const { note, hasAny } = noting(error)
  const lines = body.lineItems.map((line, i) => {
    const sentUsdCents = orError(readCentsRounded(line.priceUsd), note, 'lineItems', i, 'priceUsd')
    return {
      label: line.label,
      qty: line.qty,
      sentUsdCents,
      perUnit: timesQty(sentUsdCents, line.qty, i, note),
    }
  })
  const extendedTotal = sum(lines.map((line) => line.sentUsdCents))
  const perUnitTotal = sum(lines.map((line) => line.perUnit))
  const totalCents =
    body.totalUsd === undefined ? extendedTotal : orError(readCentsRounded(body.totalUsd), note, 'totalUsd')
  if (hasAny()) return undefined
  if (totalCents !== extendedTotal && totalCents !== perUnitTotal) {
    const both = extendedTotal === perUnitTotal ? '' : `, or ${formatUnits(perUnitTotal, 2)} with quantities`
    error('totalUsd', `must equal the sum of the lines, ${formatUnits(extendedTotal, 2)}${both}`)
    return undefined
  }
  if (!isTotal(totalCents, 'totalUsd', error)) return undefined
  const isExtended = totalCents === extendedTotal
  return {
    format: 'legacy',
    currency: 'USD',
    totalCents,
    lines: lines.map(({ perUnit, ...line }, i) => ({
      ...line,
      usdCents: isExtended ? line.sentUsdCents : withinLimit(perUnit, i, error),
    })),
  }
}

function withinLimit(cents: Cents, i: number, error: Fault): Cents {
  if (cents > maxCents || cents < -maxCents)
    error(pathOf('lineItems', i, 'priceUsd'), `times qty ${errorTexts['too-large']}`)
  return cents
}

/**
 * Forwards issues and records whether there was one, so that the checks that depend on valid lines are
 * skipped.
 */
function noting(error: Fault): { readonly note: Fault; readonly hasAny: () => boolean } {
  let hasAny = false
  const note: Fault = (path, message) => {
    hasAny = true
    error(path, message)
  }
  return { note, hasAny: () => hasAny }
}

/** Rounds half away from zero to cents. A quantity has at most six decimals. */
function timesQty(cents: Cents, qty: number | undefined, i: number, error: Fault): Cents {
  if (qty === undefined) return cents
  const micros = readDecimal(qty, 6)
  if (typeof micros === 'bigint') return divideHalfAway(cents * micros, 1_000_000n) as Cents
  error(pathOf('lineItems', i, 'qty'), 'must be a number with at most six decimals')
  return cents
}

function isTotal(cents: Cents, path: string, error: Fault): boolean {
  if (cents <= 0n) error(path, 'must be greater than zero')
  if (cents > maxCents) error(path, 'must be at most 1000000000')
  return cents > 0n && cents <= maxCents
}

function orError(read: Cents | MoneyError, error: Fault, ...steps: readonly (string | number)[]): Cents {
  if (typeof read === 'bigint') return read
  error(pathOf(...steps), errorTexts[read])
  return 0n as Cents
}

const errorTexts: Readonly<Record<MoneyError, string>> = {
  'not-a-number': 'must be a number',
  'not-finite': 'must be a finite number',
  'too-large': 'must be from -1000000000 to 1000000000',
  'too-many-decimals': 'must have at most two decimals',
}

function sum(parts: readonly Cents[]): Cents {
  return parts.reduce((total, part) => total + part, 0n) as Cents
}
