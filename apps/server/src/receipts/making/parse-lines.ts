import type { CreateReceiptRequest } from '@sluice/protocol/api/receipts/receipts.ts'
import {
  type Cents,
  divideHalfAway,
  formatUnits,
  type MoneyFault,
  maxCents,
  readCents,
  readCentsRounded,
  readDecimal,
} from '@sluice/protocol/money.ts'
import { pathOf } from '../../kernel/refusal.ts'
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
 * Parses the lines of a body that passed its schema. Returns `undefined` after at least one call of `fault`.
 */
export function parseLines(body: CreateReceiptRequest, fault: Fault): RequestedLines | undefined {
  const currency = (body.currency ?? 'USD').toUpperCase()
  if (currency !== 'USD' && currency !== 'EUR') {
    fault('currency', 'must be USD or EUR')
    return undefined
  }
  const hasNative = body.total !== undefined || body.lineItems.some((line) => line.amount !== undefined)
  const hasLegacy = body.totalUsd !== undefined || body.lineItems.some((line) => line.priceUsd !== undefined)
  if (hasNative && hasLegacy) {
    fault('lineItems', 'amount and total cannot be combined with priceUsd and totalUsd')
    return undefined
  }
  if (hasNative) return parseNative(body, currency, fault)
  if (currency !== 'USD') {
    fault('currency', `lines in ${currency} must use amount instead of priceUsd`)
    return undefined
  }
  return parseLegacy(body, fault)
}

function parseNative(
  body: CreateReceiptRequest,
  currency: Currency,
  fault: Fault,
): RequestedLines | undefined {
  const { note, hasAny } = noting(fault)
  const lines = body.lineItems.map((line, i) => ({
    label: line.label,
    qty: line.qty,
    nativeCents: orFault(readCents(line.amount), note, 'lineItems', i, 'amount'),
  }))
  const totalCents = sum(lines.map((line) => line.nativeCents))
  const stated = body.total === undefined ? totalCents : orFault(readCents(body.total), note, 'total')
  if (hasAny()) return undefined
  if (stated !== totalCents) {
    fault('total', `must equal the sum of the lines, ${formatUnits(totalCents, 2)}`)
    return undefined
  }
  if (!isTotal(totalCents, 'total', fault)) return undefined
  return { format: 'native', currency, totalCents, lines }
}

function parseLegacy(body: CreateReceiptRequest, fault: Fault): LegacyLines | undefined {
  if (body.totalUsd !== undefined) return parseUsdLines(body, fault)
  fault('totalUsd', 'is required with priceUsd lines')
  return undefined
}

/**
 * Parses lines in US dollars. Callers send `priceUsd` per line or per unit: the stated total decides. Without
 * a total, each price is for the whole line.
 */
export function parseUsdLines(
  body: Pick<CreateReceiptRequest, 'lineItems' | 'totalUsd'>,
  fault: Fault,
): LegacyLines | undefined {
  const { note, hasAny } = noting(fault)
  const lines = body.lineItems.map((line, i) => {
    const sentUsdCents = orFault(readCentsRounded(line.priceUsd), note, 'lineItems', i, 'priceUsd')
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
    body.totalUsd === undefined ? extendedTotal : orFault(readCentsRounded(body.totalUsd), note, 'totalUsd')
  if (hasAny()) return undefined
  if (totalCents !== extendedTotal && totalCents !== perUnitTotal) {
    const both = extendedTotal === perUnitTotal ? '' : `, or ${formatUnits(perUnitTotal, 2)} with quantities`
    fault('totalUsd', `must equal the sum of the lines, ${formatUnits(extendedTotal, 2)}${both}`)
    return undefined
  }
  if (!isTotal(totalCents, 'totalUsd', fault)) return undefined
  const isExtended = totalCents === extendedTotal
  return {
    format: 'legacy',
    currency: 'USD',
    totalCents,
    lines: lines.map(({ perUnit, ...line }, i) => ({
      ...line,
      usdCents: isExtended ? line.sentUsdCents : withinLimit(perUnit, i, fault),
    })),
  }
}

function withinLimit(cents: Cents, i: number, fault: Fault): Cents {
  if (cents > maxCents || cents < -maxCents)
    fault(pathOf('lineItems', i, 'priceUsd'), `times qty ${faultTexts['too-large']}`)
  return cents
}

/**
 * Forwards issues and records whether there was one, so that the checks that depend on valid lines are
 * skipped.
 */
function noting(fault: Fault): { readonly note: Fault; readonly hasAny: () => boolean } {
  let hasAny = false
  const note: Fault = (path, message) => {
    hasAny = true
    fault(path, message)
  }
  return { note, hasAny: () => hasAny }
}

/** Rounds half away from zero to cents. A quantity has at most six decimals. */
function timesQty(cents: Cents, qty: number | undefined, i: number, fault: Fault): Cents {
  if (qty === undefined) return cents
  const micros = readDecimal(qty, 6)
  if (typeof micros === 'bigint') return divideHalfAway(cents * micros, 1_000_000n) as Cents
  fault(pathOf('lineItems', i, 'qty'), 'must be a number with at most six decimals')
  return cents
}

function isTotal(cents: Cents, path: string, fault: Fault): boolean {
  if (cents <= 0n) fault(path, 'must be greater than zero')
  if (cents > maxCents) fault(path, 'must be at most 1000000000')
  return cents > 0n && cents <= maxCents
}

function orFault(read: Cents | MoneyFault, fault: Fault, ...steps: readonly (string | number)[]): Cents {
  if (typeof read === 'bigint') return read
  fault(pathOf(...steps), faultTexts[read])
  return 0n as Cents
}

const faultTexts: Readonly<Record<MoneyFault, string>> = {
  'not-a-number': 'must be a number',
  'not-finite': 'must be a finite number',
  'too-large': 'must be from -1000000000 to 1000000000',
  'too-many-decimals': 'must have at most two decimals',
}

function sum(parts: readonly Cents[]): Cents {
  return parts.reduce((total, part) => total + part, 0n) as Cents
}
