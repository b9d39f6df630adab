import type { Cents } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { getRate } from '../../pricing/rates/find-rate.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'
import { identityRate, processingFeeCents, valueReceipt } from '../../pricing/valuation.ts'
import { findShopName } from '../../shop/store.ts'
import { type Brand, brandName } from '../../site/brand.ts'
import { findCurrentSplit } from '../../split/find-split.ts'
import type { Split } from '../../split/split.ts'
import type { Receipt } from '../receipt.ts'
import { insertGeneratedId, insertReceipt } from '../store.ts'
import type { RequestedLines } from './parse-lines.ts'
import type { ReceiptOptions } from './parse-options.ts'

/** Key that permanently signs a receipt's webhooks. */
export type SigningKey = { readonly keyId: string; readonly encryptedKey: string }

type NewReceipt = ReceiptOptions & Priced & Pick<Receipt, 'id' | 'origin' | 'status' | 'tax' | 'contentHash'>

/** Shop name and split that a new receipt pins. */
export type ReceiptHome = { readonly shopName: string | undefined; readonly split: Split | undefined }

/** Returns the merchant's shop name and the split version in force. */
export async function findReceiptHome(db: Database, merchant: Wallet): Promise<ReceiptHome> {
  const [shopName, split] = await Promise.all([findShopName(db, merchant), findCurrentSplit(db, merchant)])
  return { shopName, split }
}

/**
 * Builds a new receipt without storing it.
 *
 * @param key - Absent if the merchant has no key: no webhooks are sent.
 */
export function makeReceipt(
  needs: { clock: Clock; brand: Brand },
  merchant: Wallet,
  key: SigningKey | undefined,
  made: NewReceipt,
  { shopName, split }: ReceiptHome,
): Receipt {
  const now = needs.clock.now()
  const { format, currency, totalCents, feeCents, feeHundredths, nativeTotalCents, lines, pricing } = made
  const { redirectUrl, returnUrl, webhookUrl, onSuccess, providerEmail, billing } = made
  const { id, origin, status, metadata, transactionId, expiresAt, tax, contentHash } = made
  return {
    ...unpaid,
    format,
    currency,
    totalCents,
    feeCents,
    feeHundredths,
    nativeTotalCents,
    lines,
    pricing,
    merchant,
    id,
    status,
    origin,
    tax,
    brandKey: needs.brand.key,
    brandName: shopName ?? brandName(needs.brand),
    redirectUrl,
    returnUrl,
    webhookUrl,
    onSuccess,
    providerEmail,
    billing,
    metadata,
    transactionId,
    contentHash,
    keyId: key?.keyId,
    encryptedKey: key?.encryptedKey,
    splitVersion: split?.version,
    expiresAt,
    cancelledAt: undefined,
    createdAt: now,
    updatedAt: now,
    historyCount: 1n,
  }
}

/**
 * Stores a receipt under a generated id (`R-…`) in the caller's transaction. The id is unique across
 * merchants, so a payment URL needs no merchant.
 */
export async function storeMadeReceipt(tx: Database, receipt: Receipt): Promise<void> {
  const isNew =
    (await insertGeneratedId(tx, receipt.merchant, receipt.id)) && (await insertReceipt(tx, receipt))
  assert(isNew, '130 random bits are unique')
}

const unpaid = {
  failure: undefined,
  transactionHash: undefined,
  transactionAt: undefined,
  token: undefined,
  paidUnits: undefined,
  buyerWallet: undefined,
  payment: undefined,
  currentAttempt: undefined,
  providerSession: undefined,
  refundedCents: 0n as Cents,
} as const

/** Lines, totals, fee and valuation of a receipt, which are fixed at creation. */
export type Priced = Pick<
  Receipt,
  | 'format'
  | 'currency'
  | 'totalCents'
  | 'feeCents'
  | 'feeHundredths'
  | 'nativeTotalCents'
  | 'lines'
  | 'pricing'
>

/**
 * Values the lines in US cents at the current rate; legacy lines are already in US dollars. Fixes the brand's
 * processing fee, which is added to the total.
 *
 * @throws {RateUnavailable}
 */
export async function priceReceipt(
  needs: { clock: Clock; rates: RateBook; brand: Pick<Brand, 'processingFeeHundredths'> },
  request: RequestedLines,
): Promise<Priced> {
  const feeHundredths = needs.brand.processingFeeHundredths ?? 0n
  if (request.format === 'legacy') {
    const { format, currency, totalCents } = request
    const lines = request.lines.map((line) => ({ ...line, nativeCents: undefined }))
    const feeCents = processingFeeCents(totalCents, feeHundredths)
    const price = { totalCents, feeCents, feeHundredths, nativeTotalCents: undefined }
    return { format, currency, ...price, lines, pricing: undefined }
  }
  const { format, currency } = request
  const rate = currency === 'USD' ? identityRate(needs.clock.now()) : await getRate(needs, currency)
  const valued = valueReceipt({ currency, lines: request.lines.map((line) => line.nativeCents) }, rate)
  return {
    format,
    currency,
    totalCents: valued.total,
    feeCents: processingFeeCents(valued.total, feeHundredths),
    feeHundredths,
    nativeTotalCents: request.totalCents,
    lines: request.lines.map((line, i) => ({
      ...line,
      usdCents: valued.lines[i] ?? (0n as Cents),
      sentUsdCents: undefined,
    })),
    pricing: { valuation: valued.valuation, originalTotal: request.totalCents, originalLines: request.lines },
  }
}
