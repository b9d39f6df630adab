import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Recipient } from './split.ts'

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
