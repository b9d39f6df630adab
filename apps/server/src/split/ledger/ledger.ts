import type { Wallet } from '@sluice/protocol/wallet.ts'
import { entitlement, type Part, partsOf, type Recipient } from '../split.ts'

/**
 * The books of one split in one token, as its events tell them.
 *
 * `level` is what had been received when it was last distributed; a recipient that was released less than
 * its right to the level could not be paid, and the contract holds the rest for it.
 */
export type Ledger = {
  readonly received: bigint
  readonly level: bigint
  /** What each recipient was released ever; none stands for zero. */
  readonly released: ReadonlyMap<Wallet, bigint>
  /** Of whose part a distribution kept one base unit, so as not to leave the split without any. */
  readonly unitKeptFor?: Wallet | undefined
}

/** A split that has seen nothing of the token. */
export const emptyLedger: Ledger = { received: 0n, level: 0n, released: new Map() }

/** The books after `amount` arrived. */
export function receive(ledger: Ledger, amount: bigint): Ledger {
  return { ...ledger, received: ledger.received + amount }
}

/**
 * The books after a distribution of `total`, all that the contract had ever received by then: everybody has
 * its right to it, but for what is held.
 *
 * @param held - By account, all that the contract holds for it from now on.
 * @param isUnitKept - One base unit of the last recipient's part stays with the contract.
 */
export function distribute(
  ledger: Ledger,
  recipients: readonly Recipient[],
  total: bigint,
  held: ReadonlyMap<Wallet, bigint>,
  isUnitKept = false,
): Ledger {
  const last = recipients.at(-1)?.address
  // Of a last recipient that could not be paid, the unit kept earlier is still out.
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

/** The books after `account` was released `amount` by itself. */
export function release(ledger: Ledger, account: Wallet, amount: bigint): Ledger {
  const released = new Map(ledger.released)
  released.set(account, releasedTo(ledger, account) + amount)
  const unitKeptFor = ledger.unitKeptFor === account ? undefined : ledger.unitKeptFor
  return { ...ledger, released, unitKeptFor }
}

/** What `account` was released ever. */
export function releasedTo(ledger: Ledger, account: Wallet): bigint {
  return ledger.released.get(account) ?? 0n
}

/** The base unit kept of what `account` was released otherwise: one or none. It is held for nobody's sake. */
export function keptOf(ledger: Ledger, account: Wallet): bigint {
  return ledger.unitKeptFor === account ? 1n : 0n
}

/** What the contract holds for a recipient that could not be paid. */
export function heldFor(ledger: Ledger, recipient: Recipient): bigint {
  const settled = releasedTo(ledger, recipient.address) + keptOf(ledger, recipient.address)
  const missing = entitlement(ledger.level, recipient) - settled
  return missing > 0n ? missing : 0n
}

/** What a distribution now would pay out, held parts left aside. */
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
 * The least that must have arrived without a log (ETH forced upon the contract) for an event to be possible:
 * a distribution of more than is known, or a release beyond a recipient's right to what is known.
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

/** How an arrival stands: somebody's part of it is open, or all are settled and some of them held. */
export type ArrivalState =
  | { readonly kind: 'open' }
  | { readonly kind: 'settled'; readonly held: readonly Part[] }

/**
 * How an arrival stands under the books. A recipient's money goes out in the order it came in, so an
 * arrival's part is released when all up to it is, and held when a distribution passed over it. The unit that
 * a distribution keeps counts as released: it goes out with the next.
 */
export function judgeArrival(
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
