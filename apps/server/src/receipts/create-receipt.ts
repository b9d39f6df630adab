import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { isMadeReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import { invalidInput } from '../kernel/refusal.ts'
import { findMerchant } from '../merchants/find-merchant.ts'
import type { Database } from '../platform/database.ts'
import type { RateBook } from '../pricing/rate-book.ts'
import { findCurrentSplit } from '../split/find-split.ts'
import type { ReceiptRequest } from './parse-create.ts'
import { priceReceipt } from './price-receipt.ts'
import type { Receipt } from './receipt.ts'
import { refuseIfTaken } from './refuse-if-taken.ts'
import { replaceIfUnpaid } from './replace-receipt.ts'
import { findReceipt, insertReceipt } from './store.ts'

/** The key a receipt is made with: its webhooks are signed with it for ever. */
export type SigningKey = { readonly keyId: string; readonly sealedKey: string }

/**
 * Makes a receipt, `pending`.
 *
 * Safe to repeat: the same content under the same id is the receipt that was made first. Other content
 * replaces a legacy receipt of which nothing was seen yet.
 *
 * @throws {Refusal} `receipt_exists` where the id is taken for good; `invalid_input` for an id of the form
 * Sluice makes itself or an expiry in the past; `exchange_rate_unavailable`, and nothing is stored then.
 */
export async function createReceipt(
  needs: { db: Database; clock: Clock; rates: RateBook; brand: { key: string; name: string } },
  merchant: Wallet,
  key: SigningKey,
  request: ReceiptRequest,
): Promise<Receipt> {
  const existing = await findReceipt(needs.db, merchant, request.id)
  if (existing?.contentHash === request.contentHash) return existing
  if (existing) refuseIfTaken(existing)
  else refuseForm(request, needs.clock)

  const receipt = await makeReceipt(needs, merchant, key, request)
  if (!existing && (await insertReceipt(needs.db, receipt))) return receipt
  return replaceIfUnpaid(needs, receipt)
}

function refuseForm(request: ReceiptRequest, clock: Clock): void {
  if (isMadeReceiptId(request.id)) {
    throw invalidInput({
      path: 'id',
      message: 'has the form of ids that Sluice makes itself; choose another',
    })
  }
  if (request.expiresAt !== undefined && request.expiresAt <= clock.now()) {
    throw invalidInput({ path: 'expiresAt', message: 'must lie in the future' })
  }
}

async function makeReceipt(
  needs: { db: Database; clock: Clock; rates: RateBook; brand: { key: string; name: string } },
  merchant: Wallet,
  key: SigningKey,
  request: ReceiptRequest,
): Promise<Receipt> {
  const [owner, split, priced] = await Promise.all([
    findMerchant(needs.db, merchant),
    findCurrentSplit(needs.db, merchant),
    priceReceipt(needs, request),
  ])
  const now = needs.clock.now()
  const { id, redirectUrl, returnUrl, webhookUrl, onSuccess, providerEmail, billing } = request
  const { metadata, transactionId, expiresAt, tax, contentHash } = request
  return {
    ...unpaid,
    ...priced,
    merchant,
    id: id as ReceiptId,
    status: 'pending',
    origin: 'api',
    tax,
    brandKey: needs.brand.key,
    brandName: owner?.name || needs.brand.name,
    redirectUrl,
    returnUrl,
    webhookUrl,
    onSuccess,
    providerEmail,
    billing,
    metadata,
    transactionId,
    contentHash,
    keyId: key.keyId,
    sealedKey: key.sealedKey,
    splitVersion: split?.version,
    expiresAt,
    createdAt: now,
    updatedAt: now,
    historyCount: 1n,
  }
}

/** What no new receipt has yet. */
export const unpaid = {
  failure: undefined,
  transactionHash: undefined,
  transactionAt: undefined,
  token: undefined,
  paidUnits: undefined,
  buyerWallet: undefined,
  payment: undefined,
} as const
