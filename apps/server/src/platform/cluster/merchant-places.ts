import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import { BoundedMap } from '../bounded-map.ts'
import { optional, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'

/** Merchants are moved when a machine is added; until it is noticed, what is done for them takes longer. */
const maxAgeMs = 60_000
const maxBytes = 2 * 1024 * 1024
const entryBytes = 64

/** On which machines merchants' rows stand, where they are spread over several; it says nothing of what they hold. */
export class MerchantPlaces {
  readonly #db: Database
  readonly #clock: Pick<Clock, 'now'>
  readonly #kept = new BoundedMap<{ place: string; at: number }>(maxBytes, () => entryBytes)

  constructor(needs: { readonly db: Database; readonly clock: Pick<Clock, 'now'> }) {
    this.#db = needs.db
    this.#clock = needs.clock
  }

  /** The machine of a merchant, as it was a minute ago at most. */
  async of(merchant: Wallet): Promise<string> {
    const now = this.#clock.now()
    const known = this.#kept.peek(merchant)
    if (known && now >= known.at && now - known.at < maxAgeMs) return known.place
    const place = (await this.#db.row(find({ merchant })))?.place ?? ''
    this.#kept.set(merchant, { place, at: now })
    return place
  }
}

const find = statement({
  name: 'find-place-of-merchant',
  reads: { place: optional(text()) },
  text: 'SELECT place_of(:merchant) AS place',
})
