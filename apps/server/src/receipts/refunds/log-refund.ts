import type { RefundRequest } from '@sluice/protocol/api/receipts/refunds.ts'
import { type Cents, formatUnits, readCents } from '@sluice/protocol/money.ts'
import { parseReceiptId, type ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError, invalidInput } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { generateId } from '../../kernel/generate-id.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { type Actor, audit } from '../actor.ts'
import { recordProgress } from '../record-progress.ts'
import { lockReceipt } from '../store.ts'
import { completeRefunds } from './complete-refunds.ts'
import { type Refund, type RefundItem, refundableCents, takenCents } from './refund.ts'
import { findRefundByTransaction, insertRefund, listRefunds } from './store.ts'
import { type CloseOffers, withdrawRequest } from './withdraw-request.ts'

/**
 * Logs a refund of a receipt. With a transaction hash it counts once the chain confirms it, otherwise
 * immediately. A refund of an unpaid receipt also cancels the receipt, so that later payments do not pay it.
 *
 * Safe to repeat with the same transaction. The row lock prevents concurrent refunds from exceeding the cap.
 *
 * See docs/contract.md#refunds.
 *
 * @throws {ApiError} `not_found`; `invalid_usd` if nothing was paid or the refund exceeds the remaining
 * amount; `idempotency_conflict` if the transaction is logged for another refund.
 */
export async function logRefund(
  needs: {
    db: Database
    clock: Clock
    random: Random
    log: Log
    secrets: Secrets
    closeOffers: CloseOffers
  },
  merchant: Wallet,
  actor: Actor,
  input: RefundInput,
): Promise<Refund> {
  return needs.db.transaction(async (tx) => {
    const receipt = await lockReceipt(tx, merchant, input.receiptId)
    if (!receipt) throw new ApiError('not_found', 'Receipt not found')
    const before = input.txHash && (await findRefundByTransaction(tx, merchant, input.txHash))
    if (before) return sameOrConflict(before, input)

    const refundable = refundableCents(receipt, input.kind)
    if (!isSettled(receipt.status) && refundable === 0n)
      throw new ApiError('invalid_usd', 'This receipt has not been paid, so nothing can be refunded')
    const left = refundable - takenCents(await listRefunds(tx, merchant, receipt.id), input.kind)
    if (input.usdCents > left) {
      const what = input.kind === 'price' ? 'the amount that the buyer paid' : 'the excess payment'
      throw new ApiError(
        'invalid_usd',
        `usd must be at most ${formatUnits(left, 2)}, the remaining part of ${what}`,
      )
    }
    const refund = makeRefund(needs, merchant, actor, input)
    if (!(await insertRefund(tx, refund))) throw transactionTaken()
    const { wallet: by, role } = actor
    await withdrawRequest({ ...needs, tx }, receipt, by)
    const details = {
      refundId: refund.id,
      refundKind: input.kind,
      usd: formatUnits(input.usdCents, 2),
      buyer: input.buyer,
      transactionHash: input.txHash ?? null,
    }
    const entry = { kind: 'refund_logged', detail: { ...details, by, role } } as const
    await recordProgress({ ...needs, tx }, merchant, receipt.id, { entries: [entry] })
    await completeRefunds({ ...needs, tx }, merchant, receipt.id, { refundId: refund.id, by })
    await audit({ ...needs, tx }, actor, { merchant, action: 'refund.logged', subject: receipt.id, details })
    return refund
  })
}

function makeRefund(
  needs: { clock: Clock; random: Random },
  merchant: Wallet,
  actor: Actor,
  { receiptId, buyer, usdCents, kind, items, txHash }: RefundInput,
): Refund {
  const now = needs.clock.now()
  return {
    merchant,
    id: generateId(now, needs.random),
    kind,
    receiptId,
    unmatchedId: undefined,
    buyer,
    usdCents,
    items,
    tokenAddress: undefined,
    units: undefined,
    txHash,
    mark: undefined,
    error: undefined,
    madeBy: actor.wallet,
    madeAt: now,
    markedAt: undefined,
  }
}

function sameOrConflict(before: Refund, input: RefundInput): Refund {
  const { receiptId, buyer, usdCents, kind } = input
  const isSame =
    before.receiptId === receiptId &&
    before.buyer === buyer &&
    before.usdCents === usdCents &&
    before.kind === kind
  if (isSame) return before
  throw transactionTaken()
}

/** Returns the 409 for a transaction that belongs to another refund. */
export function transactionTaken(): ApiError {
  return new ApiError('idempotency_conflict', 'This transaction is already logged for another refund')
}

type RefundInput = {
  readonly receiptId: ReceiptId
  readonly wallet: Wallet
  readonly buyer: Wallet
  readonly usdCents: Cents
  readonly kind: 'price' | 'excess'
  readonly items: readonly RefundItem[] | undefined
  readonly txHash: `0x${string}` | undefined
}

/**
 * Parses a refund from a body that passed its schema.
 *
 * @throws {ApiError} `missing_receipt_id`, `invalid_wallet`, `invalid_buyer`, `invalid_usd`, in this order.
 */
export function parseRefund(body: RefundRequest): RefundInput {
  const receiptId = parseSentReceiptId(body.receiptId)
  const wallet = parseMerchantWallet(body.wallet)
  const buyer = parseWallet(body.buyer)
  if (!buyer)
    throw new ApiError(
      'invalid_buyer',
      "Send the buyer's wallet in the field buyer: 0x followed by 40 hexadecimal digits",
    )
  const usdCents = readCents(body.usd)
  if (typeof usdCents !== 'bigint' || usdCents <= 0n)
    throw new ApiError('invalid_usd', 'usd must be a number greater than zero with at most two decimals')
  return {
    receiptId,
    wallet,
    buyer,
    usdCents,
    kind: body.excess ? 'excess' : 'price',
    items: body.items,
    txHash: body.txHash?.toLowerCase() as `0x${string}` | undefined,
  }
}

/** @throws {ApiError} `missing_receipt_id`; `invalid_input` if the text is not a receipt id. */
export function parseSentReceiptId(value: unknown): ReceiptId {
  if (typeof value !== 'string' || value === '')
    throw new ApiError('missing_receipt_id', 'Send the receipt id in the field receiptId')
  const id = parseReceiptId(value)
  if (!id) throw invalidInput({ path: 'receiptId', message: 'is not a valid receipt id' })
  return id
}

/** @throws {ApiError} `invalid_wallet`. */
export function parseMerchantWallet(value: unknown): Wallet {
  const wallet = parseWallet(value)
  if (!wallet)
    throw new ApiError(
      'invalid_wallet',
      "Send the merchant's wallet in the field wallet: 0x followed by 40 hexadecimal digits",
    )
  return wallet
}
