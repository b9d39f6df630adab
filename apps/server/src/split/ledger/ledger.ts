import type { Wallet } from '@sluice/protocol/wallet.ts'
import { entitlement, type Part, partsOf, type Recipient } from '../split.ts'

/**
 * Ledger of one split in one token, derived from its events.
 *
 * `level` is the total received at the last distribution. The contract holds the difference if a recipient
 * received less than its entitlement to `level`.
 */
export type Ledger = {
  readonly received: bigint
  readonly level: bigint
  readonly released: ReadonlyMap<Wallet, bigint>
  /** Recipient from whose share a distribution kept one base unit, so that the balance stays above zero. */
  readonly unitKeptFor?: Wallet | undefined
}

export const emptyLedger: Ledger = { received: 0n, level: 0n, released: new Map() }

export function receive(ledger: Ledger, amount: bigint): Ledger {
  return { ...ledger, received: ledger.received + amount }
}

/**
 * Applies a distribution of `total`, the total amount ever received.
 *
 * @param held - By account: the total that the contract now holds for the account.
 * @param isUnitKept - The contract keeps one base unit of the last recipient's part.
 */
export function distribute(
  ledger: Ledger,
  recipients: readonly Recipient[],
  total: bigint,
  held: ReadonlyMap<Wallet, bigint>,
  isUnitKept = false,
): Ledger {
  const last = recipients.at(-1)?.address
  // If the last recipient is not paid, the contract still keeps the unit from earlier.
  const keptBefore = last !== undefined && held.has(last) ? ledger.unitKeptFor : undefined
  const unitKeptFor = isUnitKept ? last : keptBefore
  const released = new Map<Wallet, bigint>()
  for (const recipient of recipients) {
    const { address } = recipient
    const missing = (held.get(address) ?? 0n) + (isUnitKept && address === last ? 1n : 0n)
    released.set(address, entitlement(total, recipient) - missing)
  }
  return { ...ledger, level: total, released, unitKeptFor }
}

export function release(ledger: Ledger, account: Wallet, amount: bigint): Ledger {
  const released = new Map(ledger.released)
  released.set(account, releasedTo(ledger, account) + amount)
  const unitKeptFor = ledger.unitKeptFor === account ? undefined : ledger.unitKeptFor
  return { ...ledger, released, unitKeptFor }
}

export function releasedTo(ledger: Ledger, account: Wallet): bigint {
  return ledger.released.get(account) ?? 0n
}

export function keptOf(ledger: Ledger, account: Wallet): bigint {
  return ledger.unitKeptFor === account ? 1n : 0n
}

export function heldFor(ledger: Ledger, recipient: Recipient): bigint {
  const settled = releasedTo(ledger, recipient.address) + keptOf(ledger, recipient.address)
  const missing = entitlement(ledger.level, recipient) - settled
  return missing > 0n ? missing : 0n
}

export function undistributed(ledger: Ledger, recipients: readonly Recipient[]): bigint {
  let sum = 0n
  for (const recipient of recipients) {
    const levelRight = entitlement(ledger.level, recipient)
    const released = releasedTo(ledger, recipient.address)
    const settled = released > levelRight ? released : levelRight
    const due = entitlement(ledger.received, recipient) - settled
    if (due > 0n) sum += due
  }
  return sum
}

/**
 * Returns the minimum amount of money without a log (forced ETH) that must have arrived before an event is
 * possible.
 */
export function unloggedBefore(
  ledger: Ledger,
  recipients: readonly Recipient[],
  event: { kind: 'distributed'; total: bigint } | { kind: 'released'; account: Wallet; amount: bigint },
): bigint {
  if (event.kind === 'distributed') return atLeastZero(event.total - ledger.received)
  const recipient = recipients.find(({ address }) => address === event.account)
  if (!recipient) return 0n
  const released = releasedTo(ledger, event.account) + event.amount
  const shares = BigInt(recipient.sharesBps)
  const leastReceived = (released * 10_000n + shares - 1n) / shares
  return atLeastZero(leastReceived - ledger.received)
}

export type ArrivalState =
  | { readonly kind: 'open' }
  | { readonly kind: 'settled'; readonly held: readonly Part[] }

/**
 * Evaluates an arrival. A recipient is paid in order of arrival.
 *
 * A part is released once everything up to it has been released, and held if a distribution skipped it. The
 * kept unit counts as released, because the next distribution pays it.
 */
export function evaluateArrival(
  ledger: Ledger,
  recipients: readonly Recipient[],
  arrival: { readonly amount: bigint; readonly receivedAfter: bigint },
): ArrivalState {
  const parts = partsOf(arrival, recipients)
  const held: Part[] = []
  for (const [i, recipient] of recipients.entries()) {
    const part = parts[i]?.units ?? 0n
    const settled = releasedTo(ledger, recipient.address) + keptOf(ledger, recipient.address)
    const missing = entitlement(arrival.receivedAfter, recipient) - settled
    if (part === 0n || missing <= 0n) continue
    if (ledger.level < arrival.receivedAfter) return { kind: 'open' }
    held.push({ address: recipient.address, units: missing < part ? missing : part })
  }
  return { kind: 'settled', held }
}

function atLeastZero(value: bigint): bigint {
  return value > 0n ? value : 0n
}
