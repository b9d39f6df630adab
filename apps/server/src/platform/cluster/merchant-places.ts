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
    const known = this.#known(merchant)
    if (known !== undefined) return known
    const place = (await this.#db.row(find({ merchant })))?.place ?? ''
    this.#kept.set(merchant, { place, at: this.#clock.now() })
    return place
  }

  /** The same for many, in one statement for those that are not known. */
  async ofAll(merchants: Iterable<string>, db: Database = this.#db): Promise<Map<string, string>> {
    const places = new Map<string, string>()
    const unknown: string[] = []
    for (const merchant of new Set(merchants)) {
      const known = this.#known(merchant)
      if (known === undefined) unknown.push(merchant)
      else places.set(merchant, known)
    }
    if (unknown.length === 0) return places
    const at = this.#clock.now()
    for (const { merchant, place = '' } of await db.rows(findAll({ merchants: unknown }))) {
      this.#kept.set(merchant, { place, at })
      places.set(merchant, place)
    }
    return places
  }

  #known(merchant: string): string | undefined {
    const now = this.#clock.now()
    const known = this.#kept.peek(merchant)
    return known && now >= known.at && now - known.at < maxAgeMs ? known.place : undefined
  }
}

const find = statement({
  name: 'find-place-of-merchant',
  reads: { place: optional(text()) },
  text: 'SELECT place_of(:merchant) AS place',
})

const findAll = statement({
  name: 'find-places-of-merchants',
  reads: { merchant: text(), place: optional(text()) },
  text: 'SELECT merchant, place_of(merchant) AS place FROM unnest(:merchants::text[]) AS asked (merchant)',
})
