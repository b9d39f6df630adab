import type { Cache } from '../platform/cache/cache.ts'
import type { Database } from '../platform/database/database.ts'
import { jobNames } from '../platform/jobs/names.ts'
import type { Job } from '../platform/jobs/ticker.ts'
import { listBaseUrls } from './find-brand.ts'
import { listBrandDomains } from './store.ts'

const everyMs = 15_000

/**
 * Where the pages of partner brands come from, as this process last read it: asked with every write of a
 * session, so it is kept in memory. A domain added elsewhere is known at the nudge, or at the next round.
 */
export class BrandOrigins {
  #origins: ReadonlySet<string> = new Set()

  /** Whether pages of this origin are a partner brand's. */
  has(origin: string): boolean {
    return this.#origins.has(origin)
  }

  /** The configured domain that a `Host` names, with or without a port; `''` for every other. */
  domainOf(host: string | undefined): string {
    const domain = host?.toLowerCase().replace(/:\d{1,5}$/, '') ?? ''
    return this.has(`https://${domain}`) ? domain : ''
  }

  /** Reads the domains anew. */
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
