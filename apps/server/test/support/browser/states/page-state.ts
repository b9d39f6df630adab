import type { Page } from 'playwright-core'
import type { PageStand } from './page-stand.ts'

/** A state of a page: how it comes about, and what it says. */
export type PageState = {
  /** Puts it there; gives its address. */
  readonly put: (stand: PageStand) => string
  /** Runs in the page before its own scripts. */
  readonly initScript?: string
  /** The cookie a visitor comes with. */
  readonly cookie?: string
  /** What the buyer does then. */
  readonly act?: (page: Page) => Promise<void>
  /** What is read on it, in English. */
  readonly says: string
  /** Its HTTP status where it is not 200. */
  readonly status?: number
  /** The status of a form that was sent and is shown again. */
  readonly toldStatus?: number
}
