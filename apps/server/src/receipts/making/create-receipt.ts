import { isMadeReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import { invalidInput } from '../../kernel/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'
import type { Brand } from '../../site/brand.ts'
import type { Receipt } from '../receipt.ts'
import { refuseIfTaken } from '../refuse-if-taken.ts'
import { findReceipt, insertReceipt } from '../store.ts'
import { findReceiptHome, makeReceipt, type SigningKey } from './make-receipt.ts'
import type { ReceiptRequest } from './parse-create.ts'
import { priceReceipt } from './price-receipt.ts'
import { replaceIfUnpaid } from './replace-receipt.ts'

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
  needs: {
    db: Database
    clock: Clock
    deadlines: Pick<Clock, 'now'>
    rates: RateBook
    brand: Brand
  },
  merchant: Wallet,
  key: SigningKey | undefined,
  request: ReceiptRequest,
): Promise<Receipt> {
  const existing = await findReceipt(needs.db, merchant, request.id)
  if (existing?.contentHash === request.contentHash) return existing
  if (existing) refuseIfTaken(existing)
  else refuseForm(request, needs.deadlines)

  const [home, priced] = await Promise.all([
    findReceiptHome(needs.db, merchant),
    priceReceipt(needs, request),
  ])
  const made = { ...request, ...priced, origin: 'api', status: 'pending' } as const
  const receipt = makeReceipt(needs, merchant, key, made, home)
  if (!existing && (await insertReceipt(needs.db, receipt))) return receipt
  return replaceIfUnpaid(needs, receipt)
}

function refuseForm(request: ReceiptRequest, deadlines: Pick<Clock, 'now'>): void {
  if (isMadeReceiptId(request.id)) {
    throw invalidInput({
      path: 'id',
      message: 'has the form of ids that Sluice makes itself; choose another',
    })
  }
  if (request.expiresAt !== undefined && request.expiresAt <= deadlines.now()) {
    throw invalidInput({ path: 'expiresAt', message: 'must lie in the future' })
  }
}
