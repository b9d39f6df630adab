import type { Database } from '../platform/database/database.ts'
import { type FactNeeds, Facts } from '../platform/facts/facts.ts'
import { listBaseUrls } from './find-brand.ts'

/** What the addresses of each brand begin with, kept in memory: an operator changes them a few times a year. */
export class BrandUrls {
  readonly #db: Database
  readonly #baseUrl: string
  readonly #facts: Facts<Readonly<Record<string, string>>>

  /** @param baseUrl - Of brands that have no domain. */
  constructor(needs: FactNeeds & { readonly db: Database }, baseUrl: string) {
    this.#db = needs.db
    this.#baseUrl = baseUrl
    this.#facts = new Facts(needs, ['brands'])
  }

  /** What the addresses begin with of what was made under a brand. */
  async of(brandKey: string): Promise<string> {
    const urls = await this.#facts.get('all', () => listBaseUrls(this.#db, this.#baseUrl))
    return Object.hasOwn(urls, brandKey) ? (urls[brandKey] ?? this.#baseUrl) : this.#baseUrl
  }
}
