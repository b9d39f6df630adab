import type { Cents, RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import { type ListedStatus, normaliseStatus, type ReceiptStatus } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { assert } from '../kernel/assert.ts'
import { type Column, int8, json, numeric, optional, text, time, word } from '../platform/database/columns.ts'
import { table } from '../platform/database/table.ts'
import type {
  ListedReceipt,
  OtherToken,
  PaymentSummary,
  Pricing,
  ProviderSession,
  Receipt,
  ReceiptLine,
} from './receipt.ts'

/** All columns of a receipt. A field that is missing here is neither stored nor read. */
export const receiptTable = table<Receipt>('receipt', {
  merchant: text(),
  id: text(),
  status: storedStatus(),
  origin: text(),
  format: text(),
  currency: text(),
  totalCents: int8(),
  feeCents: int8(),
  feeHundredths: int8(),
  nativeTotalCents: optional(int8()),
  lines: json({
    read: (stored: StoredLine[]) => stored.map(readLine),
    write: (lines) => lines.map(writeLine),
  }),
  pricing: optional(json({ read: readPricing, write: writePricing })),
  tax: optional(json()),
  brandKey: text(),
  brandName: text(),
  redirectUrl: optional(text()),
  returnUrl: optional(text()),
  webhookUrl: optional(text()),
  onSuccess: optional(text()),
  providerEmail: optional(text()),
  billing: optional(json()),
  metadata: optional(json()),
  transactionId: optional(text()),
  contentHash: text(),
  keyId: optional(text()),
  encryptedKey: optional(text()),
  splitVersion: optional(int8()),
  expiresAt: optional(time()),
  cancelledAt: optional(time()),
  createdAt: time(),
  updatedAt: time(),
  failure: optional(json()),
  transactionHash: optional(text()),
  transactionAt: optional(time()),
  token: optional(text()),
  paidUnits: optional(numeric()),
  buyerWallet: optional(text()),
  payment: optional(json({ read: readPayment, write: writePayment })),
  currentAttempt: optional(text()),
  providerSession: optional(json({ read: readSession, write: writeSession })),
  refundedCents: int8(),
  historyCount: int8(),
})

/** Columns of a receipt in lists. Unused columns are expensive over hundreds of rows. */
export const listedTable = table<ListedReceipt>('receipt', {
  id: text(),
  totalCents: int8(),
  currency: text(),
  lines: receiptTable.parts.lines,
  createdAt: time(),
  brandName: text(),
  status: storedStatus(),
  nativeTotalCents: optional(int8()),
  pricing: receiptTable.parts.pricing,
  cancelledAt: optional(time()),
  expiresAt: optional(time()),
  payment: receiptTable.parts.payment,
  failure: receiptTable.parts.failure,
  refundedCents: int8(),
})

/**
 * SQL for the approximate size of a value in bytes. Reads the stored size of an uncompressed value without
 * detoasting it.
 */
const weightOf = <const Value extends string>(value: Value) =>
  `CASE WHEN pg_column_compression(${value}) IS NULL THEN coalesce(pg_column_size(${value}), 0)
    ELSE octet_length(${value}::text) END` as const

/** SQL for the approximate size in bytes of the large columns of a `receipt` row. */
export const bytesOf = <const Row extends string>(row: Row) =>
  `${weightOf(`${row}.lines`)} + ${weightOf(`${row}.pricing`)} + ${weightOf(`${row}.metadata`)}` as const

/** Column of a status. Old rows may hold a legacy status. */
export function storedStatus(): Column<ReceiptStatus> {
  return word({ read: readStatus, write: (status) => status })
}

/**
 * Column of the status or `cancelled`, under which a receipt is listed and counted. Old rows may hold a
 * legacy status.
 */
export function storedListedStatus(): Column<ListedStatus> {
  return word({
    read: (stored) => (stored === 'cancelled' ? stored : readStatus(stored)),
    write: (standing) => standing,
  })
}

type StoredLine = {
  label: string
  qty?: number | undefined
  usd: number
  sent?: number | undefined
  native?: number | undefined
}

type StoredPricing = {
  valuation: { version: 1; currency: 'USD' | 'EUR'; usdPerUnitE8: string; quotedAt: number; provider: string }
  originalTotal: number
  originalLines: { label: string; qty?: number; native: number }[]
}

type StoredPayment = {
  state: PaymentSummary['state']
  token: string
  decimals: number
  due: string
  received: string
  missing: string
  excess: string
  others?: readonly (Omit<OtherToken, 'units'> & { readonly units: string })[]
  creditedCents?: number
  blockNumber?: string
  finality: PaymentSummary['finality']
}

function readStatus(stored: string): ReceiptStatus {
  const status = normaliseStatus(stored)
  assert(status, 'the column contains a status')
  return status
}

function writeLine({
  label,
  qty,
  usdCents,
  sentUsdCents: sent,
  nativeCents: native,
}: ReceiptLine): StoredLine {
  return {
    label,
    qty,
    usd: Number(usdCents),
    sent: sent === undefined ? undefined : Number(sent),
    native: native === undefined ? undefined : Number(native),
  }
}

function writePricing(pricing: Pricing): StoredPricing {
  const { usdPerUnit, ...valuation } = pricing.valuation
  return {
    valuation: { ...valuation, usdPerUnitE8: usdPerUnit.toString() },
    originalTotal: Number(pricing.originalTotal),
    originalLines: pricing.originalLines.map(({ label, qty, nativeCents }) => ({
      label,
      ...(qty !== undefined && { qty }),
      native: Number(nativeCents),
    })),
  }
}

/** Returns the stored form of a summary, in which amounts are decimal text. */
export function writePayment(payment: PaymentSummary): StoredPayment {
  const { blockNumber, due, received, missing, excess, others, creditedCents, ...rest } = payment
  return {
    ...rest,
    due: due.toString(),
    received: received.toString(),
    missing: missing.toString(),
    excess: excess.toString(),
    ...(others.length > 0 && { others: others.map((each) => ({ ...each, units: each.units.toString() })) }),
    ...(creditedCents > 0n && { creditedCents: Number(creditedCents) }),
    ...(blockNumber !== undefined && { blockNumber: blockNumber.toString() }),
  }
}

function readLine(line: StoredLine): ReceiptLine {
  return {
    label: line.label,
    qty: line.qty,
    usdCents: BigInt(line.usd) as Cents,
    sentUsdCents: line.sent === undefined ? undefined : (BigInt(line.sent) as Cents),
    nativeCents: line.native === undefined ? undefined : (BigInt(line.native) as Cents),
  }
}

function readPricing(pricing: StoredPricing): Pricing {
  const { usdPerUnitE8, quotedAt, ...valuation } = pricing.valuation
  return {
    valuation: { ...valuation, quotedAt: quotedAt as UnixMs, usdPerUnit: BigInt(usdPerUnitE8) as RateE8 },
    originalTotal: BigInt(pricing.originalTotal) as Cents,
    originalLines: pricing.originalLines.map(({ label, qty, native }) => ({
      label,
      qty,
      nativeCents: BigInt(native) as Cents,
    })),
  }
}

type StoredSession = Omit<ProviderSession, 'sourceCents'> & { sourceCents?: number }

function writeSession({ sourceCents, ...session }: ProviderSession): StoredSession {
  return { ...session, ...(sourceCents !== undefined && { sourceCents: Number(sourceCents) }) }
}

function readSession({ sourceCents, ...session }: StoredSession): ProviderSession {
  return { ...session, sourceCents: sourceCents === undefined ? undefined : (BigInt(sourceCents) as Cents) }
}

function readPayment(payment: StoredPayment): PaymentSummary {
  const { blockNumber, due, received, missing, excess, others = [], creditedCents = 0, ...rest } = payment
  return {
    ...rest,
    others: others.map((each) => ({ ...each, units: BigInt(each.units) as TokenUnits })),
    creditedCents: BigInt(creditedCents) as Cents,
    due: BigInt(due) as TokenUnits,
    received: BigInt(received) as TokenUnits,
    missing: BigInt(missing) as TokenUnits,
    excess: BigInt(excess) as TokenUnits,
    blockNumber: blockNumber === undefined ? undefined : BigInt(blockNumber),
  }
}
