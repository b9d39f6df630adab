import { basis, entitlement, type Part, type Recipient } from '../split.ts'
import type { Arrival, Place } from '../split-event.ts'
import { judgeArrival, keptOf, type Ledger, releasedTo } from './ledger.ts'

/** That everybody's part of an arrival is released or held; `by` is what settled the last one. */
export type Settlement = { readonly arrival: Arrival; readonly by: Place; readonly held: readonly Part[] }

/** Arrivals whose state can still change, and what settles each. */
export type WatchedArrivals = {
  /**
   * Watches an arrival; no older one may follow. Of less than one base unit a recipient nobody may have a part:
   * then there is nothing to wait for.
   *
   * @param place - Where it came just now; absent for one of earlier, which only money that goes out settles.
   */
  add(arrival: Arrival, place: Place | undefined): void
  /** Settles what money that has gone out settles: the books are those after it. */
  settle(ledger: Ledger, by: Place): void
  /** What was settled, as it stands under the books at the end. */
  list(ledger: Ledger): Settlement[]
}

/** An arrival, and how many recipients its part of is not out to yet. */
type Watched = { readonly arrival: Arrival; unpaid: number; by: Place | undefined }

/**
 * Watches arrivals in the order they came in, as `judgeArrival` judges them, without judging all of them after
 * each release: anyone may cause releases, and keep arrivals open.
 *
 * What a recipient was released only grows, and so does the level. So each recipient goes over the arrivals once,
 * as far as it is paid, and the level once; the work is arrivals × recipients, however many releases there are.
 */
export function watchArrivals(recipients: readonly Recipient[]): WatchedArrivals {
  const watched: Watched[] = []
  /** By recipient: how many of the oldest it is paid its parts of. */
  const paidUpTo = recipients.map(() => 0)
  let passedUpTo = 0
  const unasked: Watched[] = []
  const settled: Watched[] = []

  const end = (each: Watched, by: Place) => {
    if (each.by) return
    each.by = by
    settled.push(each)
  }
  return {
    add(arrival, place) {
      const unpaid = recipients.filter((recipient) => hasPart(recipient, arrival)).length
      const each: Watched = { arrival, unpaid, by: undefined }
      watched.push(each)
      if (unpaid > 0) return
      if (place) end(each, place)
      else unasked.push(each)
    },
    settle(ledger, by) {
      for (const each of unasked.splice(0)) end(each, by)
      for (const [i, recipient] of recipients.entries()) {
        const top = paidLevel(recipient, ledger)
        let at = paidUpTo[i] ?? 0
        for (; ; at++) {
          const each = watched[at]
          if (!each || each.arrival.receivedAfter > top) break
          if (hasPart(recipient, each.arrival) && --each.unpaid === 0) end(each, by)
        }
        paidUpTo[i] = at
      }
      for (; ; passedUpTo++) {
        const each = watched[passedUpTo]
        if (!each || each.arrival.receivedAfter > ledger.level) break
        end(each, by)
      }
    },
    list: (ledger) =>
      settled.flatMap(({ arrival, unpaid, by }) => {
        if (!by) return []
        const state = unpaid > 0 ? judgeArrival(ledger, recipients, arrival) : undefined
        return [{ arrival, by, held: state?.kind === 'settled' ? state.held : [] }]
      }),
  }
}

/** The most that can have been received of which a recipient's right is out. */
function paidLevel(recipient: Recipient, ledger: Ledger): bigint {
  const out = releasedTo(ledger, recipient.address) + keptOf(ledger, recipient.address)
  return ((out + 1n) * basis - 1n) / BigInt(recipient.sharesBps)
}

/** Whether anything of an arrival is a recipient's. */
function hasPart(recipient: Recipient, { amount, receivedAfter }: Arrival): boolean {
  // Of dust alone that depends on the roundings before it.
  if (amount >= basis) return true
  return entitlement(receivedAfter, recipient) > entitlement(receivedAfter - amount, recipient)
}
