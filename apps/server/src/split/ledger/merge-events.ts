import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Recipient } from '../split.ts'
import type { Arrival, ArrivalKind, Place, SplitEvent } from '../split-event.ts'
import { distribute, heldFor, type Ledger, receive, release, unloggedBefore } from './ledger.ts'
import { type Settlement, watchArrivals } from './watch-arrivals.ts'

export type NewArrival = Arrival & {
  readonly how: ArrivalKind
  readonly reference: Hex | undefined
  readonly place: Place
}

export type MergedEvents = {
  readonly ledger: Ledger
  readonly arrivals: readonly NewArrival[]
  readonly settlements: readonly Settlement[]
}

/**
 * Applies events in chain order to the ledger. Pure.
 *
 * @param unsettled - Earlier arrivals that can still change, oldest first. Arrivals with a held part are
 * needed only if {@link paysHeld}.
 */
export function mergeEvents(
  before: { readonly ledger: Ledger; readonly unsettled: readonly Arrival[] },
  recipients: readonly Recipient[],
  events: readonly SplitEvent[],
): MergedEvents {
  let ledger = before.ledger
  let held = new Map<Wallet, bigint>()
  const arrivals: NewArrival[] = []
  const watched = watchArrivals(recipients)
  for (const arrival of before.unsettled) watched.add(arrival, undefined)

  const arrive = (amount: bigint, from: Pick<NewArrival, 'how' | 'reference' | 'place'>) => {
    ledger = receive(ledger, amount)
    const { how, reference, place } = from
    const { transactionHash, logIndex } = place
    const receivedAfter = ledger.received
    const arrival = { amount, receivedAfter, transactionHash, logIndex, how, reference, place }
    arrivals.push(arrival)
    watched.add(arrival, place)
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
    watched.settle(ledger, place)
  }
  return { ledger, arrivals, settlements: watched.list(ledger) }
}

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
