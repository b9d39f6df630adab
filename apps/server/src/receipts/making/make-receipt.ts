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

/** The key a receipt is made with: its webhooks are signed with it for ever. */
export type SigningKey = { readonly keyId: string; readonly sealedKey: string }

/** What a receipt is made from, whoever makes it. */
type NewReceipt = ReceiptOptions & Priced & Pick<Receipt, 'id' | 'origin' | 'status' | 'tax' | 'contentHash'>

/** What a merchant's receipts are made with: the name it sells under and the split they pin, as they are now. */
export type ReceiptHome = { readonly shopName: string | undefined; readonly split: Split | undefined }

/** Where a merchant's receipts are made at this moment. */
export async function findReceiptHome(db: Database, merchant: Wallet): Promise<ReceiptHome> {
  const [shopName, split] = await Promise.all([findShopName(db, merchant), findCurrentSplit(db, merchant)])
  return { shopName, split }
}

/**
 * A new receipt. Nothing is stored.
 *
 * @param key - Absent where the merchant has none: then nobody is told by webhook.
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
    sealedKey: key?.sealedKey,
    splitVersion: split?.version,
    expiresAt,
    cancelledAt: undefined,
    createdAt: now,
    updatedAt: now,
    historyCount: 1n,
  }
}

/**
 * Stores a receipt under an id that Sluice made (`R-…`), in the caller's transaction: the id is then the
 * merchant's over all merchants, and a payment URL finds the receipt by it alone.
 */
export async function storeMadeReceipt(tx: Database, receipt: Receipt): Promise<void> {
  const isNew =
    (await insertGeneratedId(tx, receipt.merchant, receipt.id)) && (await insertReceipt(tx, receipt))
  assert(isNew, "130 random bits are nobody else's")
}

/** What no new receipt has yet. */
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

/** The money side of a new receipt. */
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
 * Values the requested lines in US cents, once and for all: native lines at the rate of this moment,
 * legacy lines as they are. The brand's processing fee comes on top and stays what it is now.
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
