import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Part } from '../parts.ts'
import type { Recipient } from '../split.ts'
import type { Arrival, ArrivalKind, Place, SplitEvent } from '../split-event.ts'
import { distribute, heldFor, judgeArrival, type Ledger, receive, release, unloggedBefore } from './ledger.ts'

/** Money that reached the split, with what it brought the books to. */
export type NewArrival = Arrival & {
  readonly how: ArrivalKind
  readonly reference: Hex | undefined
  readonly place: Place
}

/** That everybody's part of an arrival is released or held; `by` is what settled the last one. */
export type Settlement = { readonly arrival: Arrival; readonly by: Place; readonly held: readonly Part[] }

/** What a row of events did to the books of one split in one token. */
export type FoldedEvents = {
  readonly ledger: Ledger
  readonly arrivals: readonly NewArrival[]
  /** One for each arrival at most, as it stands at the end. */
  readonly settlements: readonly Settlement[]
}

/**
 * Carries `events`, in the order of the chain, into the books. Pure.
 *
 * @param unsettled - The arrivals before these events whose state can still change, oldest first: those that
 * are open, and those in which a part is held where {@link paysHeld} says that the events pay one.
 */
export function foldEvents(
  before: { readonly ledger: Ledger; readonly unsettled: readonly Arrival[] },
  recipients: readonly Recipient[],
  events: readonly SplitEvent[],
): FoldedEvents {
  let ledger = before.ledger
  let held = new Map<Wallet, bigint>()
  const arrivals: NewArrival[] = []
  const watched = new Set<Arrival>(before.unsettled)
  const settlements = new Map<Arrival, Settlement>()

  const settle = (arrival: Arrival, by: Place) => {
    const state = judgeArrival(ledger, recipients, arrival)
    if (state.kind === 'open') return
    const first = settlements.get(arrival)
    settlements.set(arrival, { arrival, by: first ? first.by : by, held: state.held })
    if (state.held.length === 0) watched.delete(arrival)
  }
  const arrive = (amount: bigint, from: Pick<NewArrival, 'how' | 'reference' | 'place'>) => {
    ledger = receive(ledger, amount)
    const { how, reference, place } = from
    const { transactionHash, logIndex } = place
    const arrival = {
      amount,
      receivedAfter: ledger.received,
      transactionHash,
      logIndex,
      how,
      reference,
      place,
    }
    arrivals.push(arrival)
    watched.add(arrival)
    // Of less than one base unit a recipient nobody may have a part: then there is nothing to wait for.
    settle(arrival, place)
  }

  for (const event of events) {
    const { place } = event
    if (event.kind === 'arrived') {
      arrive(event.amount, event)
      continue
    }
    if (event.kind === 'held') {
      held.set(event.account, event.amount)
      continue
    }
    const unlogged = unloggedBefore(ledger, recipients, event)
    if (unlogged > 0n) arrive(unlogged, { how: 'plain', reference: undefined, place })
    if (event.kind === 'distributed') {
      ledger = distribute(ledger, recipients, event.total, held, event.isUnitKept)
      held = new Map()
    } else {
      ledger = release(ledger, event.account, event.amount)
    }
    for (const arrival of watched) settle(arrival, place)
  }
  return { ledger, arrivals, settlements: [...settlements.values()] }
}

/** Whether the events pay somebody for whom something was held before them. */
export function paysHeld(
  ledger: Ledger,
  recipients: readonly Recipient[],
  events: readonly SplitEvent[],
): boolean {
  const owed = recipients.filter((recipient) => heldFor(ledger, recipient) > 0n)
  if (owed.length === 0) return false
  let failed = new Set<Wallet>()
  for (const event of events) {
    if (event.kind === 'held') failed.add(event.account)
    if (event.kind === 'released' && owed.some(({ address }) => address === event.account)) return true
    if (event.kind !== 'distributed') continue
    if (owed.some(({ address }) => !failed.has(address))) return true
    failed = new Set()
  }
  return false
}
