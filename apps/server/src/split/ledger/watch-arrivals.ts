import { basis, entitlement, type Part, type Recipient } from '../split.ts'
import type { Arrival, Place } from '../split-event.ts'
import { evaluateArrival, keptOf, type Ledger, releasedTo } from './ledger.ts'

export type Settlement = { readonly arrival: Arrival; readonly by: Place; readonly held: readonly Part[] }

export type WatchedArrivals = {
  /**
   * Adds the next arrival. An amount too small for any recipient's part is settled immediately.
   *
   * @param place - Position of a new arrival; `undefined` for an earlier arrival, which only a payout
   * settles.
   */
  add(arrival: Arrival, place: Place | undefined): void
  settle(ledger: Ledger, by: Place): void
  list(ledger: Ledger): Settlement[]
}

type Watched = { readonly arrival: Arrival; unpaid: number; by: Place | undefined }

/**
 * Settles arrivals by the rules of `evaluateArrival`, but does not re-evaluate all of them after each
 * release.
 *
 * Anyone can cause releases and keep arrivals open. Released totals and the level only grow, so each
 * recipient passes every arrival once. The work is arrivals × recipients steps.
 */
export function watchArrivals(recipients: readonly Recipient[]): WatchedArrivals {
  const watched: Watched[] = []
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
        const state = unpaid > 0 ? evaluateArrival(ledger, recipients, arrival) : undefined
        return [{ arrival, by, held: state?.kind === 'settled' ? state.held : [] }]
      }),
  }
}

function paidLevel(recipient: Recipient, ledger: Ledger): bigint {
  const out = releasedTo(ledger, recipient.address) + keptOf(ledger, recipient.address)
  return ((out + 1n) * basis - 1n) / BigInt(recipient.sharesBps)
}

function hasPart(recipient: Recipient, { amount, receivedAfter }: Arrival): boolean {
  // For smaller amounts, the part depends on earlier rounding.
  if (amount >= basis) return true
  return entitlement(receivedAfter, recipient) > entitlement(receivedAfter - amount, recipient)
}
