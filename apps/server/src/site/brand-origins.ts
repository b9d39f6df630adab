import type { Cache } from '../platform/cache/cache.ts'
import type { Database } from '../platform/database/database.ts'
import { jobNames } from '../platform/jobs/names.ts'
import type { Job } from '../platform/jobs/ticker.ts'
import { listBaseUrls } from './find-brand.ts'
import { listBrandDomains } from './store.ts'

const everyMs = 15_000

/**
 * In-memory set of partner brands' domains, kept because every session write checks it. A change takes effect
 * on a job notification, or in the next round.
 */
export class BrandOrigins {
  #origins: ReadonlySet<string> = new Set()

  has(origin: string): boolean {
    return this.#origins.has(origin)
  }

  /**
   * Returns the configured domain that matches a `Host` header, with or without a port, or `''` if none
   * matches.
   */
  domainOf(host: string | undefined): string {
    const domain = host?.toLowerCase().replace(/:\d{1,5}$/, '') ?? ''
    return this.has(`https://${domain}`) ? domain : ''
  }

  async refresh(db: Database): Promise<void> {
    const domains = await listBrandDomains(db)
    this.#origins = new Set(domains.map((domain) => `https://${domain}`))
  }

  makeJob(needs: { db: Database }): Job {
    return {
      name: jobNames.readBrandOrigins,
      everyMs,
      run: async () => {
        await this.refresh(needs.db)
        return 'done'
      },
    }
  }
}

/** Caches the base URL of each brand, because operators rarely change these URLs. */
export class BrandUrls {
  readonly #db: Database
  readonly #baseUrl: string
  readonly #cache: Cache

  constructor({ db, cache }: { db: Database; cache: Cache }, baseUrl: string) {
    this.#db = db
    this.#baseUrl = baseUrl
    this.#cache = cache
  }

  async of(brandKey: string): Promise<string> {
    const urls = await this.#cache.get('brand-urls', () => listBaseUrls(this.#db, this.#baseUrl))
    return Object.hasOwn(urls, brandKey) ? (urls[brandKey] ?? this.#baseUrl) : this.#baseUrl
  }
}
