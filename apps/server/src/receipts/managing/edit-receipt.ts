import type { EditReceiptRequest } from '@sluice/protocol/api/receipts/edit.ts'
import { type Cents, writeCents } from '@sluice/protocol/money.ts'
import { parseReceiptId, type ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError, type Issue, invalidInput } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { nativeFromUsd, processingFeeCents } from '../../pricing/valuation.ts'
import { type Actor, audit } from '../actor.ts'
import { type LegacyLines, parseUsdLines } from '../making/parse-lines.ts'
import type { Receipt } from '../receipt.ts'
import { type CloseOffers, withdrawRequest } from '../refunds/withdraw-request.ts'
import { lockReceipt, replaceReceipt, saveProgress } from '../store.ts'

/**
 * Closes the offers of opened pages. Returns `false` if a buyer's offer or provider session can still be
 * paid.
 */
export type WithdrawOffers = (tx: Database, merchant: Wallet, id: ReceiptId) => Promise<boolean>

/**
 * Replaces the lines of an unpaid receipt, in US dollars. Native amounts use the receipt's own rate. The
 * original lines remain in `pricing`, and the history keeps the previous ones. The content hash remains, so
 * reposting the original request changes nothing.
 *
 * An opened page does not block an edit: its offers are closed.
 *
 * @throws {ApiError} `not_found`; `invalid_input`; `attempt_open` once a buyer opened an attempt or paid.
 */
export async function editReceipt(
  needs: { db: Database; clock: Clock; secrets: Secrets; withdrawOffers: WithdrawOffers },
  merchant: Wallet,
  actor: Actor,
  id: string,
  request: EditReceiptRequest,
): Promise<Receipt> {
  const issues: Issue[] = []
  const lines = parseUsdLines(request, (path, message) => void issues.push({ path, message }))
  const receiptId = parseReceiptId(id)
  if (!receiptId) throw notFound()
  if (!lines || issues.length > 0) throw invalidInput(...issues)
  return needs.db.transaction(async (tx) => {
    const before = await lockReceipt(tx, merchant, receiptId)
    if (!before) throw notFound()
    const isAwaited = before.payment?.state === 'awaiting'
    const isFree = await needs.withdrawOffers(tx, merchant, receiptId)
    refuseIfPayable(before, isFree)
    const now = needs.clock.now()
    const receipt: Receipt = {
      ...before,
      ...withLines(before, lines),
      // The requested amount was for the old total.
      payment: isAwaited ? undefined : before.payment,
      updatedAt: now,
      historyCount: before.historyCount + 1n,
    }
    await replaceReceipt(tx, receipt, before)
    const details = { before: describe(before), after: describe(receipt) }
    await saveProgress(tx, receipt, {
      seq: receipt.historyCount,
      kind: 'edited',
      fromStatus: undefined,
      toStatus: undefined,
      detail: { ...details, by: actor.wallet, role: actor.role },
      at: now,
    })
    await audit({ ...needs, tx }, actor, { merchant, action: 'receipt.edited', subject: receiptId, details })
    return receipt
  })
}

/** Returns the receipt's amounts for other lines. Pure. Uses the fee rate fixed at creation. */
export function withLines(
  before: Receipt,
  { lines, totalCents }: Pick<LegacyLines, 'lines' | 'totalCents'>,
): Pick<Receipt, 'lines' | 'totalCents' | 'feeCents' | 'nativeTotalCents'> {
  const feeCents = processingFeeCents(totalCents, before.feeHundredths)
  const { pricing } = before
  if (!pricing) {
    const legacy = lines.map((line) => ({ ...line, nativeCents: undefined }))
    return { lines: legacy, totalCents, feeCents, nativeTotalCents: undefined }
  }
  const native = nativeFromUsd(
    lines.map(({ usdCents }) => usdCents),
    pricing.valuation.usdPerUnit,
  )
  return {
    lines: lines.map((line, i) => ({
      ...line,
      sentUsdCents: undefined,
      nativeCents: native.lines[i] ?? (0n as Cents),
    })),
    totalCents,
    feeCents,
    nativeTotalCents: native.total,
  }
}

function refuseIfPayable(receipt: Receipt, isFree: boolean): void {
  const state = receipt.payment?.state ?? 'none'
  const isUntouched = isFree && (state === 'none' || state === 'expired' || state === 'awaiting')
  const isPaid = isSettled(receipt.status) || receipt.status === 'paid - ach pending'
  if (isUntouched && !isPaid) return
  const why = isPaid ? 'it has been paid' : 'a buyer has opened a payment attempt or paid part of the amount'
  throw new ApiError('attempt_open', `Receipt ${receipt.id} cannot be updated: ${why}`)
}

function describe({ totalCents, lines }: Receipt) {
  return {
    totalUsd: writeCents(totalCents),
    lineItems: lines.map((line) => ({
      label: line.label,
      priceUsd: writeCents(line.usdCents),
      ...(line.qty !== undefined && { qty: line.qty }),
    })),
  }
}

function notFound(): ApiError {
  return new ApiError('not_found', 'Receipt not found')
}

/**
 * Cancels an unpaid receipt: closes its offers and releases the stock of its order. The status does not
 * change, no webhook is sent, and a payment in transit is still credited. Safe to repeat.
 *
 * @param cancelling - `by`: actor for the history; `onlyOrigin`: the only receipt origin that the actor can
 * cancel.
 * @throws {ApiError} `not_found`; `forbidden` for another origin; `invalid_input` if already paid.
 */
export async function cancelReceipt(
  needs: { db: Database; clock: Clock; closeOffers: CloseOffers },
  merchant: Wallet,
  { by, onlyOrigin }: { by: string; onlyOrigin?: Receipt['origin'] | undefined },
  id: string,
): Promise<Receipt & { readonly cancelledAt: UnixMs }> {
  const receiptId = parseReceiptId(id)
  if (!receiptId) throw notFound()
  return needs.db.transaction(async (tx) => {
    const before = await lockReceipt(tx, merchant, receiptId)
    if (!before) throw notFound()
    if (onlyOrigin !== undefined && before.origin !== onlyOrigin)
      throw new ApiError('forbidden', 'A cashier can cancel terminal sales only; ask an owner or an admin')
    const receipt = await withdrawRequest({ ...needs, tx }, before, by)
    const { cancelledAt } = receipt
    if (cancelledAt === undefined)
      throw invalidInput({ path: '', message: 'This receipt has already been paid' })
    return { ...receipt, cancelledAt }
  })
}
