import type { Bps } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'

/** One row of a split: who gets which share of every payment. */
export type Recipient = { readonly address: Wallet; readonly sharesBps: Bps }

/** One version of a merchant's split: a contract whose address is known before it exists. */
export type Split = {
  readonly merchant: Wallet
  readonly version: bigint
  readonly chain: number
  readonly address: Wallet
  /** Makes the address, together with the recipients and the factory. */
  readonly salt: `0x${string}`
  /** Makes it, whichever makes the new ones by now. */
  readonly factory: Wallet
  /** In the order of the contract, the platform's row included; the shares add up to 10000. */
  readonly recipients: readonly Recipient[]
  readonly feeBps: Bps
  readonly platformRecipient: Wallet | undefined
  /** `in-force`: it is, or was until the next one took over. */
  readonly state: 'scheduled' | 'in-force' | 'cancelled'
  /** Before this it takes over from no other. */
  readonly effectiveAt: UnixMs
  /** Since when it is the one that new receipts are paid through; absent while it is not. */
  readonly inForceAt: UnixMs | undefined
  readonly cancelledAt: UnixMs | undefined
  /** Absent until the contract was seen on the chain. */
  readonly deployedAt: UnixMs | undefined
  readonly deployedTx: `0x${string}` | undefined
  readonly createdAt: UnixMs
}

/** What is known of a version before it is stored. */
export type SplitDraft = Omit<Split, 'deployedAt' | 'deployedTx' | 'inForceAt' | 'cancelledAt'>

/** Whether two lists name the same wallets with the same shares, in whatever order. */
export function isSameRecipients(a: readonly Recipient[], b: readonly Recipient[]): boolean {
  const shares = new Map(a.map(({ address, sharesBps }) => [address, sharesBps]))
  return a.length === b.length && b.every(({ address, sharesBps }) => shares.get(address) === sharesBps)
}

/** Shares of a split add up to this. */
export const basis = 10_000n

/** What one recipient gets of an amount, in base units of its token. */
export type Part = { readonly address: Wallet; readonly units: bigint }

/** What a recipient has a right to of all that was ever received, rounded down as the contract does. */
export function entitlement(received: bigint, recipient: Recipient): bigint {
  return (received * BigInt(recipient.sharesBps)) / basis
}

/**
 * Each recipient's exact part of an arrival, in the order of the recipients.
 *
 * A part is the growth of the recipient's cumulative right, as in OpenZeppelin's PaymentSplitter. What
 * rounding leaves, less than one base unit a recipient, is carried to the next arrival: parts and the
 * remainder carried out add up to the amount and the remainder carried in.
 *
 * @param receivedAfter - All the split ever received of the token, this arrival included.
 */
export function partsOf(
  arrival: { readonly amount: bigint; readonly receivedAfter: bigint },
  recipients: readonly Recipient[],
): Part[] {
  const receivedBefore = arrival.receivedAfter - arrival.amount
  return recipients.map((recipient) => ({
    address: recipient.address,
    units: entitlement(arrival.receivedAfter, recipient) - entitlement(receivedBefore, recipient),
  }))
}

/** What nobody has a right to yet of all that was ever received: the roundings, carried to the next arrival. */
export function remainderOf(received: bigint, recipients: readonly Recipient[]): bigint {
  return recipients.reduce((rest, recipient) => rest - entitlement(received, recipient), received)
}
