import type { RefundRequest } from '@sluice/protocol/api/receipts/refunds.ts'
import { type Cents, readCents } from '@sluice/protocol/money.ts'
import { parseReceiptId, type ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { invalidInput, Refusal } from '../../kernel/refusal.ts'
import type { RefundItem } from './refund.ts'

/** A refund that somebody wants logged. */
export type RefundInput = {
  readonly receiptId: ReceiptId
  readonly wallet: Wallet
  readonly buyer: Wallet
  readonly usdCents: Cents
  readonly kind: 'price' | 'excess'
  readonly items: readonly RefundItem[] | undefined
  readonly txHash: `0x${string}` | undefined
}

/**
 * The refund in a body that passed its schema.
 *
 * @throws {Refusal} `missing_receipt_id`, `invalid_wallet`, `invalid_buyer`, `invalid_usd`, in this order.
 */
export function parseRefund(body: RefundRequest): RefundInput {
  const receiptId = parseSentReceiptId(body.receiptId)
  const wallet = parseMerchantWallet(body.wallet)
  const buyer = parseWallet(body.buyer)
  if (!buyer)
    throw new Refusal(
      'invalid_buyer',
      "Send the buyer's wallet in the field buyer: 0x followed by 40 hexadecimal digits",
    )
  const usdCents = readCents(body.usd)
  if (typeof usdCents !== 'bigint' || usdCents <= 0n)
    throw new Refusal('invalid_usd', 'usd must be a number greater than zero with at most two decimals')
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

/** @throws {Refusal} `missing_receipt_id`; `invalid_input` for a text that is no receipt's id. */
export function parseSentReceiptId(value: unknown): ReceiptId {
  if (typeof value !== 'string' || value === '')
    throw new Refusal('missing_receipt_id', 'Send the receipt id in the field receiptId')
  const id = parseReceiptId(value)
  if (!id) throw invalidInput({ path: 'receiptId', message: 'is not a valid receipt id' })
  return id
}

/** @throws {Refusal} `invalid_wallet`. */
export function parseMerchantWallet(value: unknown): Wallet {
  const wallet = parseWallet(value)
  if (!wallet)
    throw new Refusal(
      'invalid_wallet',
      "Send the merchant's wallet in the field wallet: 0x followed by 40 hexadecimal digits",
    )
  return wallet
}
