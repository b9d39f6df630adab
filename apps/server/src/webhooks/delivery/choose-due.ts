import type { DueDelivery } from '../queued-delivery.ts'

/** Maximum number of concurrent sends: in total, per merchant and per receiver host. */
export const sendLimits = {
  total: 1_024,
  perMerchant: 4,
  /**
   * Number of concurrent sends at which each merchant is limited to one, so that slow receivers leave room
   * for others.
   */
  crowdedAt: 256,
  perHost: 4,
} as const

export class Load {
  readonly #merchants = new Map<string, number>()
  readonly #hosts = new Map<string, number>()
  readonly #lastServed = new Map<string, number>()
  #total = 0
  #served = 0

  get total(): number {
    return this.#total
  }

  ofMerchant(merchant: string): number {
    return this.#merchants.get(merchant) ?? 0
  }

  /** Returns the sequence number of the merchant's most recent send in this process, or 0 if unknown. */
  lastServed(merchant: string): number {
    return this.#lastServed.get(merchant) ?? 0
  }

  hasRoomFor(message: { merchant: string; host: string }): boolean {
    return this.#total < sendLimits.total && this.isOwnRoomLeft(message)
  }

  /** Checks the limits of the merchant and the host, but not the total. */
  isOwnRoomLeft(message: { merchant: string; host: string }): boolean {
    return (
      this.ofMerchant(message.merchant) < this.#merchantLimit() &&
      (this.#hosts.get(message.host) ?? 0) < sendLimits.perHost
    )
  }

  full(): { merchants: string[]; hosts: string[] } {
    const limit = this.#merchantLimit()
    return {
      merchants: [...this.#merchants].filter(([, count]) => count >= limit).map(([merchant]) => merchant),
      hosts: [...this.#hosts].filter(([, count]) => count >= sendLimits.perHost).map(([host]) => host),
    }
  }

  add(message: { merchant: string; host: string }): void {
    this.#total += 1
    change(this.#merchants, message.merchant, 1)
    change(this.#hosts, message.host, 1)
    if (this.#lastServed.size > 10_000) this.#lastServed.clear()
    this.#served += 1
    this.#lastServed.set(message.merchant, this.#served)
  }

  remove(message: { merchant: string; host: string }): void {
    this.#total -= 1
    change(this.#merchants, message.merchant, -1)
    change(this.#hosts, message.host, -1)
  }

  #merchantLimit(): number {
    return this.#total < sendLimits.crowdedAt ? sendLimits.perMerchant : 1
  }
}

/**
 * Chooses at most `most` due deliveries to send now, and adds them to the load.
 *
 * The merchant with the fewest sends in progress goes first, then the merchant that was served longest ago. A
 * long queue or a hanging receiver therefore delays only its own merchant's deliveries.
 */
export function chooseDue(due: readonly DueDelivery[], load: Load, most = due.length): DueDelivery[] {
  const rank = new Map(
    due.map((message) => [
      message,
      { under: load.ofMerchant(message.merchant) + message.place, turn: load.lastServed(message.merchant) },
    ]),
  )
  const rankOf = (message: DueDelivery) => rank.get(message) ?? { under: 0, turn: 0 }
  const inOrder = due.toSorted(
    (a, b) =>
      rankOf(a).under - rankOf(b).under || rankOf(a).turn - rankOf(b).turn || a.nextAt - b.nextAt || 0,
  )
  const chosen: DueDelivery[] = []
  for (const message of inOrder) {
    if (chosen.length === most) break
    if (!load.hasRoomFor(message)) continue
    load.add(message)
    chosen.push(message)
  }
  return chosen
}

function change(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}
