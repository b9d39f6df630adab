/** Nights in a room: ISO dates, the departure after the arrival. */
export type Stay = { readonly arrival: string; readonly departure: string }

const dayMs = 86_400_000
const maxNights = 60
const maxAheadDays = 730

/** How many nights a stay has. */
export function nightsOf({ arrival, departure }: Stay): number {
  return (dayOf(departure) ?? 0) - (dayOf(arrival) ?? 0)
}

/**
 * The stay of two dates as a form sends them; `undefined` for what is none: no dates, the wrong way round, past, too
 * long or too far ahead. It is still today somewhere for a while after midnight UTC.
 */
export function readStay(
  arrival: string | undefined,
  departure: string | undefined,
  now: number,
): Stay | undefined {
  const from = dayOf(arrival ?? '')
  const to = dayOf(departure ?? '')
  if (from === undefined || to === undefined || arrival === undefined || departure === undefined)
    return undefined
  const today = Math.floor(now / dayMs)
  const isTimely = from >= today - 1 && from <= today + maxAheadDays
  return isTimely && to > from && to - from <= maxNights ? { arrival, departure } : undefined
}

/** The date so many days after a moment, in UTC. */
export function dateAfter(now: number, days: number): string {
  return new Date((Math.floor(now / dayMs) + days) * dayMs).toISOString().slice(0, 10)
}

/** What an order's line says of a stay, in every language. */
export function noteOf({ arrival, departure }: Stay): string {
  return `${arrival} – ${departure}`
}

/** The days since 1970 of an ISO date that exists. */
function dayOf(date: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return undefined
  const ms = Date.parse(`${date}T00:00:00Z`)
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== date ? undefined : ms / dayMs
}
