import type { Cents, RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { RateInput } from '../../pricing/rates/rate.ts'

export type Quote = {
  readonly quotedAt: UnixMs
  readonly provider: string
  readonly inputs: readonly RateInput[]
}

export type Attempt = {
  readonly merchant: Wallet
  readonly id: string
  readonly receiptId: ReceiptId
  readonly chain: number
  readonly token: Token
  /** Customer's total when the offer was made. A different total voids the offer. */
  readonly totalCents: Cents
  /**
   * Unpaid part of the total at that time; `amount` is its worth in the token, rounded up so that a buyer can
   * type it.
   */
  readonly dueCents: Cents
  readonly amount: TokenUnits
  readonly rate: RateE8
  readonly quote: Quote
  /** Unguessable 32 bytes. A payment to the split with this reference pays this attempt. */
  readonly reference: Hex
  /** Number from which the reference is derived; absent for older attempts with a random reference. */
  readonly number?: bigint | undefined
  readonly depositAddress: Wallet
  readonly factory: Wallet
  readonly splitAddress: Wallet
  readonly splitVersion: bigint
  readonly payer: Wallet | undefined
  readonly provider: string | undefined
  /** Last block that was scanned when the offer was made: no block up to this one can contain a payment. */
  readonly openedBlock: bigint
  readonly createdAt: UnixMs
  readonly expiresAt: UnixMs
  readonly askedAt: UnixMs | undefined
  /**
   * Time when the attempt was paid or replaced, or was confirmed as expired because every block up to its end
   * had been scanned.
   */
  readonly closedAt: UnixMs | undefined
}

export const quoteHoldsMs = 15 * 60_000

/** Bank transfers take days. The rate cannot drift, because providers deliver a dollar token. */
export const providerHoldsMs = 7 * 24 * 3_600_000

/** Period after an attempt's end during which every new block is scanned for its payments. */
export const hotForMs = 24 * 3_600_000

/** Period after an attempt's end during which the attempt is scanned hourly, and later daily. */
export const watchForMs = 30 * 24 * 3_600_000

export function isOpen(attempt: Pick<Attempt, 'closedAt' | 'expiresAt'>, now: UnixMs): boolean {
  return attempt.closedAt === undefined && attempt.expiresAt > now
}

/** Returns the placeholder for a lost receipt of a recovered attempt. Real receipt ids contain no space. */
export function lostReceiptId(deposit: Wallet): ReceiptId {
  return `${lostPrefix}${deposit}` as ReceiptId
}

export function isLostReceipt(id: string): boolean {
  return id.startsWith(lostPrefix)
}

const lostPrefix = 'deposit '
