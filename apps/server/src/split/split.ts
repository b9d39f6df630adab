import type { Bps } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'

export type Recipient = { readonly address: Wallet; readonly sharesBps: Bps }

export type Split = {
  readonly merchant: Wallet
  readonly version: bigint
  readonly chain: number
  readonly address: Wallet
  readonly salt: `0x${string}`
  /** The factory that deploys this version. Newer versions may use another factory. */
  readonly factory: Wallet
  /** In contract order, including the platform; shares add up to 10000. */
  readonly recipients: readonly Recipient[]
  readonly feeBps: Bps
  readonly platformRecipient: Wallet | undefined
  /** Past versions also keep the state `in-force`. */
  readonly state: 'scheduled' | 'in-force' | 'cancelled'
  /** Earliest time at which the version replaces another. */
  readonly effectiveAt: UnixMs
  /** Time from which new receipts use the version. */
  readonly inForceAt: UnixMs | undefined
  readonly cancelledAt: UnixMs | undefined
  /** Unset until the contract is seen on the chain. */
  readonly deployedAt: UnixMs | undefined
  readonly deployedTx: `0x${string}` | undefined
  readonly createdAt: UnixMs
}

export type SplitDraft = Omit<Split, 'deployedAt' | 'deployedTx' | 'inForceAt' | 'cancelledAt'>

/** Compares recipients and shares in any order. */
export function isSameRecipients(a: readonly Recipient[], b: readonly Recipient[]): boolean {
  const shares = new Map(a.map(({ address, sharesBps }) => [address, sharesBps]))
  return a.length === b.length && b.every(({ address, sharesBps }) => shares.get(address) === sharesBps)
}

export const basis = 10_000n

export type Part = { readonly address: Wallet; readonly units: bigint }

/** Returns the recipient's total entitlement, rounded down as in the contract. */
export function entitlement(received: bigint, recipient: Recipient): bigint {
  return (received * BigInt(recipient.sharesBps)) / basis
}

/**
 * Returns each recipient's exact part of an arrival, in recipient order.
 *
 * A part is the growth of the cumulative entitlement, as in OpenZeppelin's PaymentSplitter. The rounding
 * remainder is carried to the next arrival: parts plus remainder out equal amount plus remainder in.
 *
 * See docs/contract.md#distribution.
 *
 * @param receivedAfter - Total amount of the token that the split has ever received, including this arrival.
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

/** Returns the base units that rounding has not assigned yet. They are carried to the next arrival. */
export function remainderOf(received: bigint, recipients: readonly Recipient[]): bigint {
  return recipients.reduce((rest, recipient) => rest - entitlement(received, recipient), received)
}
