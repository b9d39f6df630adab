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
 * What makes a payment the same payment: chain, transaction and log.
 *
 * Logs have an empty address, or the hash of their block once that is no longer part of the chain. Coin that
 * leaves no log has index -1 and the address it reached; where no top-level transaction explains it either,
 * `txHash` is the hash of the block in which it was noticed.
 */
export type PaymentKey = { readonly txHash: Hex; readonly logIndex: number; readonly address: Hex | '' }

/** Where a payment stands on the chain. */
export type PaymentBlock = { readonly number: bigint; readonly hash: Hex; readonly at: UnixMs }

/** How the money came: a call with the reference, a token's transfer to the deposit address, or plain coin. */
export type PaymentKind = 'call' | 'transfer' | 'native'

/** Money seen for an attempt. */
export type Payment = PaymentKey & {
  readonly merchant: Wallet
  readonly receiptId: ReceiptId
  readonly attemptId: string
  readonly kind: PaymentKind
  /** What it named: a reference, a deposit address, a split. Absent in old rows. */
  readonly source: string | undefined
  readonly token: Token
  readonly units: TokenUnits
  readonly payer: Wallet | undefined
  /** The rate it counts at; zero where it came late and no rate was to be had. */
  readonly rate: RateE8
  /** Its block is younger than its attempt's quote. */
  readonly isLate: boolean
  readonly block: PaymentBlock
  readonly state: 'seen' | 'credited' | 'unmatched' | 'orphaned'
  readonly seenAt: UnixMs
  /** Set once, at the credit; an orphaned payment keeps it. */
  readonly creditedAt: UnixMs | undefined
  /** When an admin took its loss to a reorg for settled. */
  readonly acceptedAt: UnixMs | undefined
}

/** What says where money stands in the order of the chain. */
export type OnChain = PaymentKey & { readonly block: Pick<PaymentBlock, 'number'> }

/** Whether a payment is part of the chain and of its receipt's money. */
export function isLive({ state }: Pick<Payment, 'state'>): boolean {
  return state === 'seen' || state === 'credited'
}

/** Whether the chain took a payment back that had counted, and the receipt waits for it or for other money. */
export function isReversed({ state, creditedAt, acceptedAt }: Payment): boolean {
  return state === 'orphaned' && creditedAt !== undefined && acceptedAt === undefined
}

/** The order of the chain. Coin without a log comes before the logs of its block. No two payments are equal in it. */
export function compareOnChain(a: OnChain, b: OnChain): number {
  if (a.block.number !== b.block.number) return a.block.number < b.block.number ? -1 : 1
  if (a.logIndex !== b.logIndex) return a.logIndex - b.logIndex
  if (a.txHash !== b.txHash) return a.txHash < b.txHash ? -1 : 1
  return a.address < b.address ? -1 : a.address > b.address ? 1 : 0
}

/** Whether two keys are the same. */
export function isSameKey(a: PaymentKey, b: PaymentKey): boolean {
  return a.txHash === b.txHash && a.logIndex === b.logIndex && a.address === b.address
}

/** A key as a text, the same where the keys are the same. */
export function textOfKey({ txHash, logIndex, address }: PaymentKey): string {
  return `${txHash}/${logIndex}/${address}`
}

/** What a log or a movement of coin is told apart by, as it is stored. */
export const paymentKey: Parts<PaymentKey> = { txHash: text(), logIndex: count(), address: text() }

/** Where a payment stands on the chain, as it is stored. */
export const storedBlock: Part<PaymentBlock> = group({
  number: named('block_number', int8()),
  hash: named('block_hash', text()),
  at: named('block_at', time()),
})
