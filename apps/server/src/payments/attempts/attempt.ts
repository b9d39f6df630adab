import type { Cents, RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { RateInput } from '../../pricing/rates/rate.ts'

/** What a quote stands on. */
export type Quote = {
  readonly quotedAt: UnixMs
  readonly provider: string
  readonly inputs: readonly RateInput[]
}

/** An offer to pay one receipt in one token at a rate that holds until `expiresAt`. */
export type Attempt = {
  readonly merchant: Wallet
  readonly id: string
  readonly receiptId: ReceiptId
  readonly chain: number
  readonly token: Token
  /** What the customer owed in all when the offer was made; another total since then makes it void. */
  readonly totalCents: Cents
  /** What of it was still missing then, and what was asked for it in the token: as much, rounded up to be typed. */
  readonly dueCents: Cents
  readonly amount: TokenUnits
  readonly rate: RateE8
  readonly quote: Quote
  /** 32 bytes that nobody guesses: whoever pays the split under it pays this attempt. */
  readonly reference: Hex
  /** Which one of the split's the reference is; absent for attempts of releases that drew it at random. */
  readonly number?: bigint | undefined
  /** This attempt's own address: whatever reaches it pays this attempt. */
  readonly depositAddress: Wallet
  /** What the deposit address was made with. */
  readonly factory: Wallet
  readonly splitAddress: Wallet
  readonly splitVersion: bigint
  readonly payer: Wallet | undefined
  /** The card or bank provider that delivers to it; absent where a buyer pays from a wallet. */
  readonly provider: string | undefined
  /** How far the chain had been read when the offer was made: nothing below can have paid it. */
  readonly openedBlock: bigint
  readonly createdAt: UnixMs
  readonly expiresAt: UnixMs
  /** When a buyer asked for it; absent where a page was only opened. */
  readonly askedAt: UnixMs | undefined
  /** Paid, replaced, or known to have expired: every block up to its end was read. */
  readonly closedAt: UnixMs | undefined
}

/** How long a quote holds (decisions: Payments on chain, Attempt). */
export const quoteHoldsMs = 15 * 60_000

/** How long an offer holds that a provider delivers for: banks take days, and it is paid in a dollar's worth. */
export const providerHoldsMs = 7 * 24 * 3_600_000

/** How long after its end an attempt is still looked at with every block. */
export const hotForMs = 24 * 3_600_000

/** How long after its end an attempt is still looked at hourly (decisions: Payments on chain, Watcher). */
export const watchForMs = 30 * 24 * 3_600_000

/** Whether the offer stands: whoever pays now pays at its rate. */
export function isOpen(attempt: Pick<Attempt, 'closedAt' | 'expiresAt'>, now: UnixMs): boolean {
  return attempt.closedAt === undefined && attempt.expiresAt > now
}

/**
 * What stands for the receipt of an attempt that was found again and whose receipt the database has lost. No receipt has
 * an id with a space.
 */
export function lostReceiptId(deposit: Wallet): ReceiptId {
  return `${lostPrefix}${deposit}` as ReceiptId
}

/** Whether an id is one of {@link lostReceiptId}. */
export function isLostReceipt(id: string): boolean {
  return id.startsWith(lostPrefix)
}

const lostPrefix = 'deposit '
