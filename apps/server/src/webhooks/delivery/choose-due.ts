import type { DueDelivery } from '../queued-delivery.ts'

/** How many sends may be under way: for all, for one merchant, for one receiver. */
export const sendLimits = {
  total: 1_024,
  perMerchant: 4,
  /** Above this many under way, a merchant gets one at a time: many slow receivers leave room for the others. */
  crowdedAt: 256,
  perHost: 4,
} as const

/** What is under way in this process. */
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

  /** Which turn of this process was the merchant's last; 0 for one not served lately. */
  lastServed(merchant: string): number {
    return this.#lastServed.get(merchant) ?? 0
  }

  hasRoomFor(notice: { merchant: string; host: string }): boolean {
    return this.#total < sendLimits.total && this.isOwnRoomLeft(notice)
  }

  /** Whether its merchant and its receiver may have another one, however many are under way for all. */
  isOwnRoomLeft(notice: { merchant: string; host: string }): boolean {
    return (
      this.ofMerchant(notice.merchant) < this.#merchantLimit() &&
      (this.#hosts.get(notice.host) ?? 0) < sendLimits.perHost
    )
  }

  /** Merchants and receivers that have all they may have. */
  full(): { merchants: string[]; hosts: string[] } {
    const limit = this.#merchantLimit()
    return {
      merchants: [...this.#merchants].filter(([, count]) => count >= limit).map(([merchant]) => merchant),
      hosts: [...this.#hosts].filter(([, count]) => count >= sendLimits.perHost).map(([host]) => host),
    }
  }

  add(notice: { merchant: string; host: string }): void {
    this.#total += 1
    change(this.#merchants, notice.merchant, 1)
    change(this.#hosts, notice.host, 1)
    if (this.#lastServed.size > 10_000) this.#lastServed.clear()
    this.#served += 1
    this.#lastServed.set(notice.merchant, this.#served)
  }

  remove(notice: { merchant: string; host: string }): void {
    this.#total -= 1
    change(this.#merchants, notice.merchant, -1)
    change(this.#hosts, notice.host, -1)
  }

  #merchantLimit(): number {
    return this.#total < sendLimits.crowdedAt ? sendLimits.perMerchant : 1
  }
}

/**
 * Which of the due notices to send now; the load counts them from here on.
 *
 * The merchant with the least under way goes first, then the one whose turn was longest ago: a
 * merchant with a long queue, or with receivers that hang, delays its own notices only.
 *
 * @param most - No more than so many.
 */
export function chooseDue(due: readonly DueDelivery[], load: Load, most = due.length): DueDelivery[] {
  const rank = new Map(
    due.map((notice) => [
      notice,
      { under: load.ofMerchant(notice.merchant) + notice.place, turn: load.lastServed(notice.merchant) },
    ]),
  )
  const rankOf = (notice: DueDelivery) => rank.get(notice) ?? { under: 0, turn: 0 }
  const inOrder = due.toSorted(
    (a, b) =>
      rankOf(a).under - rankOf(b).under || rankOf(a).turn - rankOf(b).turn || a.nextAt - b.nextAt || 0,
  )
  const chosen: DueDelivery[] = []
  for (const notice of inOrder) {
    if (chosen.length === most) break
    if (!load.hasRoomFor(notice)) continue
    load.add(notice)
    chosen.push(notice)
  }
  return chosen
}

function change(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}
