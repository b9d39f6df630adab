import type { Cache } from '../platform/cache/cache.ts'
import type { Database } from '../platform/database/database.ts'
import { listBaseUrls } from './find-brand.ts'

/** What the addresses of each brand begin with, kept in memory: an operator changes them a few times a year. */
export class BrandUrls {
  readonly #db: Database
  readonly #baseUrl: string
  readonly #cache: Cache

  /** @param baseUrl - Of brands that have no domain. */
  constructor({ db, cache }: { db: Database; cache: Cache }, baseUrl: string) {
    this.#db = db
    this.#baseUrl = baseUrl
    this.#cache = cache
  }

  /** What the addresses begin with of what was made under a brand. */
  async of(brandKey: string): Promise<string> {
    const urls = await this.#cache.get('brand-urls', () => listBaseUrls(this.#db, this.#baseUrl))
    return Object.hasOwn(urls, brandKey) ? (urls[brandKey] ?? this.#baseUrl) : this.#baseUrl
  }
}
