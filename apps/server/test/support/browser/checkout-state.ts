import type { Page } from 'playwright-core'
import type { Outage } from '../../../src/kernel/outage.ts'
import type { Refusal } from '../../../src/kernel/refusal.ts'
import type { ViewChanges } from './checkout-views.ts'

/** A state of the checkout: what the receipt is then, what is done in its page, and what the panel says. */
export type CheckoutState = {
  readonly changes: ViewChanges | ((now: number) => ViewChanges)
  /** What is answered where an offer is asked for. */
  readonly refusal?: Refusal | Outage
  /** The merchant's script. */
  readonly script?: string
  /** The service is set up for WalletConnect. */
  readonly hasWalletConnect?: boolean
  /** Before the page is opened. */
  readonly prepare?: (page: Page) => Promise<unknown>
  /** What brings the open page there. */
  readonly reach?: (page: Page) => Promise<void>
  /** What its address says beside the receipt. */
  readonly query?: string
  readonly says: readonly string[]
}
