import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import { BoundedMap } from '../../platform/bounded-map.ts'
import type { Log } from '../../platform/log.ts'
import { makeTheme, type ThemeSettings } from './make-theme.ts'
import { type PageTheme, plainTheme } from './page-theme.ts'

/** Reads what is stored: of a merchant and its brand, or of the brand whose pages a `Host` asks for. */
export type ReadThemeSettings = (
  merchant: Wallet | undefined,
  host: string | undefined,
) => Promise<ThemeSettings>

/** The look of a merchant's pages, by its wallet; without one, of the brand that a `Host` asks for. */
export type FindTheme = (merchant: string | undefined, host?: string) => Promise<PageTheme>

/** How long a look is shown before it is read again: a change is seen by then. */
const freshMs = 5_000
const maxBytes = 4 * 1024 * 1024
const bytesOfTheme = 8 * 1024

type Kept = { readonly theme: PageTheme; readonly readAt: number }

/**
 * The looks of merchants and brands, each kept for a few seconds, of all together a bounded number.
 *
 * No page fails for its look: where it cannot be read, the last one known is shown, or the plain one.
 */
export class PageThemes {
  readonly #needs: { readonly clock: Clock; readonly log: Log }
  readonly #read: ReadThemeSettings
  readonly #kept = new BoundedMap<Kept>(maxBytes, () => bytesOfTheme)
  readonly #underWay = new Map<string, Promise<PageTheme>>()

  constructor(needs: { clock: Clock; log: Log }, read: ReadThemeSettings) {
    this.#needs = needs
    this.#read = read
  }

  /**
   * The look of a merchant's pages. Its brand is the merchant's, whatever the request says; `host` counts only for a
   * page of no merchant.
   */
  find: FindTheme = async (wallet, host) => {
    const merchant = parseWallet(wallet)
    const key = merchant === undefined ? `host ${host?.slice(0, 300) ?? ''}` : merchant.toLowerCase()
    const kept = this.#kept.get(key)
    if (kept && Math.abs(this.#needs.clock.now() - kept.readAt) < freshMs) return kept.theme
    const running = this.#underWay.get(key)
    if (running) return running
    const reading = this.#readAnew(key, merchant, host).finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, reading)
    return reading
  }

  async #readAnew(key: string, merchant: Wallet | undefined, host: string | undefined): Promise<PageTheme> {
    try {
      return this.#keep(key, makeTheme(await this.#read(merchant, host)))
    } catch (error) {
      this.#needs.log.warn({ err: error }, 'a theme cannot be read; the page has the last known one')
      return this.#keep(key, this.#kept.peek(key)?.theme ?? plainTheme)
    }
  }

  #keep(key: string, theme: PageTheme): PageTheme {
    this.#kept.set(key, { theme, readAt: this.#needs.clock.now() })
    return theme
  }
}
