import { isMadeReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'
import type { Receipt } from '../receipt.ts'
import { makeReceipt, type SigningKey } from './make-receipt.ts'
import type { ReceiptRequest } from './parse-create.ts'
import { priceReceipt } from './price-receipt.ts'
import type { ReceiptHomes } from './receipt-homes.ts'

/** What a draft is made with. */
export type DraftNeeds = {
  readonly clock: Clock
  readonly deadlines: Pick<Clock, 'now'>
  readonly rates: RateBook
  readonly homes: Pick<ReceiptHomes, 'of'>
}

/**
 * The receipt that a request asks for, `pending`, at the rate of this moment. Nothing is stored.
 *
 * @throws {RateUnavailable}
 */
export async function draftReceipt(
  needs: DraftNeeds,
  merchant: Wallet,
  key: SigningKey | undefined,
  request: ReceiptRequest,
): Promise<Receipt> {
  const { clock, rates } = needs
  const home = await needs.homes.of(merchant)
  const { brand } = home
  const priced = await priceReceipt({ clock, rates, brand }, request)
  const made = { ...request, ...priced, origin: 'api', status: 'pending' } as const
  return makeReceipt({ clock, brand }, merchant, key, made, home)
}

/**
 * As {@link draftReceipt}; `undefined` where it cannot be made, or could not be stored if its id were free. It may be
 * there already all the same.
 */
export async function tryDraft(
  needs: DraftNeeds,
  merchant: Wallet,
  key: SigningKey | undefined,
  request: ReceiptRequest,
): Promise<Receipt | undefined> {
  const { id, expiresAt } = request
  const isGoodForm = !isMadeReceiptId(id) && (expiresAt === undefined || expiresAt > needs.deadlines.now())
  return isGoodForm ? draftReceipt(needs, merchant, key, request).catch(() => undefined) : undefined
}
