import type { FailureFields } from '@sluice/protocol/failures.ts'
import type { Cents, RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { normaliseStatus, type ReceiptStatus } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../kernel/assert.ts'
import type { Billing, PaymentSummary, Pricing, Receipt, ReceiptLine, Tax } from './receipt.ts'

/** A row of `receipt`, as the driver gives it. */
export type ReceiptRow = {
  merchant: string
  id: string
  status: string
  origin: string
  format: string
  currency: string
  total_cents: bigint
  fee_cents: bigint
  fee_hundredths: bigint
  native_total_cents: bigint | null
  lines: StoredLine[]
  pricing: StoredPricing | null
  tax: Tax | null
  brand_key: string
  brand_name: string
  redirect_url: string | null
  return_url: string | null
  webhook_url: string | null
  on_success: string | null
  provider_email: string | null
  billing: Billing | null
  metadata: Record<string, unknown> | null
  transaction_id: string | null
  content_hash: string
  key_id: string | null
  sealed_key: string | null
  split_version: bigint | null
  expires_at: bigint | null
  created_at: bigint
  updated_at: bigint
  failure: FailureFields | null
  transaction_hash: string | null
  transaction_at: bigint | null
  token: string | null
  paid_units: bigint | null
  buyer_wallet: string | null
  payment: StoredPayment | null
  history_count: bigint
}

type StoredLine = { label: string; qty?: number; usd: number; sent?: number; native?: number }

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
  blockNumber?: string
  finality: PaymentSummary['finality']
}

/** The status a stored text stands for: data older than this version may hold a legacy one. */
export function readStatus(stored: string): ReceiptStatus {
  const status = normaliseStatus(stored)
  assert(status, 'only statuses are stored')
  return status
}

/** The receipt a row stands for. What the database holds was checked when it was written. */
export function fromRow(row: ReceiptRow): Receipt {
  return {
    merchant: row.merchant as Wallet,
    id: row.id as ReceiptId,
    status: readStatus(row.status),
    origin: row.origin as Receipt['origin'],
    format: row.format as Receipt['format'],
    currency: row.currency as Receipt['currency'],
    totalCents: row.total_cents as Cents,
    feeCents: row.fee_cents as Cents,
    feeHundredths: row.fee_hundredths,
    nativeTotalCents: (row.native_total_cents ?? undefined) as Cents | undefined,
    lines: row.lines.map(readLine),
    pricing: row.pricing ? readPricing(row.pricing) : undefined,
    tax: row.tax ?? undefined,
    brandKey: row.brand_key,
    brandName: row.brand_name,
    redirectUrl: row.redirect_url ?? undefined,
    returnUrl: row.return_url ?? undefined,
    webhookUrl: row.webhook_url ?? undefined,
    onSuccess: row.on_success ?? undefined,
    providerEmail: row.provider_email ?? undefined,
    billing: row.billing ?? undefined,
    metadata: row.metadata ?? undefined,
    transactionId: row.transaction_id ?? undefined,
    contentHash: row.content_hash,
    keyId: row.key_id ?? undefined,
    sealedKey: row.sealed_key ?? undefined,
    splitVersion: row.split_version ?? undefined,
    expiresAt: readTime(row.expires_at),
    createdAt: Number(row.created_at) as UnixMs,
    updatedAt: Number(row.updated_at) as UnixMs,
    failure: row.failure ?? undefined,
    transactionHash: row.transaction_hash ?? undefined,
    transactionAt: readTime(row.transaction_at),
    token: row.token ?? undefined,
    paidUnits: (row.paid_units ?? undefined) as TokenUnits | undefined,
    buyerWallet: (row.buyer_wallet ?? undefined) as Wallet | undefined,
    payment: row.payment ? readPayment(row.payment) : undefined,
    historyCount: row.history_count,
  }
}

/** The JSON text `lines` is stored as. */
export function writeLines(lines: readonly ReceiptLine[]): string {
  const stored = lines.map((line): StoredLine => {
    const { sentUsdCents: sent, nativeCents: native } = line
    return {
      label: line.label,
      ...(line.qty !== undefined && { qty: line.qty }),
      usd: Number(line.usdCents),
      ...(sent !== undefined && { sent: Number(sent) }),
      ...(native !== undefined && { native: Number(native) }),
    }
  })
  return JSON.stringify(stored)
}

/** The JSON text `pricing` is stored as. */
export function writePricing(pricing: Pricing): string {
  const { usdPerUnit, ...valuation } = pricing.valuation
  const stored: StoredPricing = {
    valuation: { ...valuation, usdPerUnitE8: usdPerUnit.toString() },
    originalTotal: Number(pricing.originalTotal),
    originalLines: pricing.originalLines.map(({ label, qty, nativeCents }) => ({
      label,
      ...(qty !== undefined && { qty }),
      native: Number(nativeCents),
    })),
  }
  return JSON.stringify(stored)
}

/** The JSON text `payment` is stored as. */
export function writePayment(payment: PaymentSummary): string {
  const { blockNumber, due, received, missing, excess, ...rest } = payment
  const stored: StoredPayment = {
    ...rest,
    due: due.toString(),
    received: received.toString(),
    missing: missing.toString(),
    excess: excess.toString(),
    ...(blockNumber !== undefined && { blockNumber: blockNumber.toString() }),
  }
  return JSON.stringify(stored)
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

function readPayment(payment: StoredPayment): PaymentSummary {
  const { blockNumber, due, received, missing, excess, ...rest } = payment
  return {
    ...rest,
    due: BigInt(due) as TokenUnits,
    received: BigInt(received) as TokenUnits,
    missing: BigInt(missing) as TokenUnits,
    excess: BigInt(excess) as TokenUnits,
    blockNumber: blockNumber === undefined ? undefined : BigInt(blockNumber),
  }
}

function readTime(value: bigint | null): UnixMs | undefined {
  return value === null ? undefined : (Number(value) as UnixMs)
}
