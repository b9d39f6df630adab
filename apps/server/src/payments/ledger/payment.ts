import type { RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import {
  count,
  group,
  int8,
  named,
  type Part,
  type Parts,
  text,
  time,
} from '../../platform/database/columns.ts'

/**
 * Identity of a payment on a chain.
 *
 * For a log, `address` is empty, or the block's hash after a reorg removed that block. Native coin without a
 * log has index -1, and `address` is the receiving address. Without a top-level transaction, `txHash` is the
 * hash of the block in which the balance changed.
 */
export type PaymentKey = { readonly txHash: Hex; readonly logIndex: number; readonly address: Hex | '' }

export type PaymentBlock = { readonly number: bigint; readonly hash: Hex; readonly at: UnixMs }

export type PaymentKind = 'call' | 'transfer' | 'native'

export type Payment = PaymentKey & {
  readonly merchant: Wallet
  readonly receiptId: ReceiptId
  readonly attemptId: string
  readonly kind: PaymentKind
  /** Reference, deposit address or split; absent in older rows. */
  readonly source: string | undefined
  readonly token: Token
  readonly units: TokenUnits
  readonly payer: Wallet | undefined
  /** Rate at which the payment is credited; zero if the payment was late and no rate was available. */
  readonly rate: RateE8
  readonly isLate: boolean
  readonly block: PaymentBlock
  readonly state: 'seen' | 'credited' | 'unmatched' | 'orphaned'
  readonly seenAt: UnixMs
  /** Set once, when the payment is credited. An orphaned payment keeps this time. */
  readonly creditedAt: UnixMs | undefined
  /** Time when an admin accepted the loss of this payment to a reorg. */
  readonly acceptedAt: UnixMs | undefined
}

export type OnChain = PaymentKey & { readonly block: Pick<PaymentBlock, 'number'> }

export function isLive({ state }: Pick<Payment, 'state'>): boolean {
  return state === 'seen' || state === 'credited'
}

/** Checks if a credited payment was orphaned and its loss is not accepted. */
export function isReversed({ state, creditedAt, acceptedAt }: Payment): boolean {
  return state === 'orphaned' && creditedAt !== undefined && acceptedAt === undefined
}

/**
 * Compares in chain order. Native coin without a log precedes the logs in its block. This is a total order.
 */
export function compareOnChain(a: OnChain, b: OnChain): number {
  if (a.block.number !== b.block.number) return a.block.number < b.block.number ? -1 : 1
  if (a.logIndex !== b.logIndex) return a.logIndex - b.logIndex
  if (a.txHash !== b.txHash) return a.txHash < b.txHash ? -1 : 1
  return a.address < b.address ? -1 : a.address > b.address ? 1 : 0
}

export function isSameKey(a: PaymentKey, b: PaymentKey): boolean {
  return a.txHash === b.txHash && a.logIndex === b.logIndex && a.address === b.address
}

export function textOfKey({ txHash, logIndex, address }: PaymentKey): string {
  return `${txHash}/${logIndex}/${address}`
}

export const paymentKey: Parts<PaymentKey> = { txHash: text(), logIndex: count(), address: text() }

export const storedBlock: Part<PaymentBlock> = group({
  number: named('block_number', int8()),
  hash: named('block_hash', text()),
  at: named('block_at', time()),
})
