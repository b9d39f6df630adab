import type { Browser } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { type BuyerOptions, type BuyerPage, openAsBuyer } from './checkout-browser.ts'
import { type CheckoutHarness, startCheckoutHarness } from './checkout-harness.ts'

/** The pages over written receipts, and a browser. */
export type CheckoutStage = {
  readonly harness: CheckoutHarness
  readonly browser: Browser
  /** Errors in the console and reports of the policy, of every page that was opened here, each with its address. */
  readonly problems: readonly string[]
  /** Opens a page as a new buyer; what goes wrong in it is among the problems once it is closed. */
  open(url: string, options?: BuyerOptions): Promise<BuyerPage>
  close(): Promise<void>
}

/** Starts both; `site` is what the service is set up with. */
export async function startCheckoutStage(
  site: { walletConnectProject?: string } = {},
): Promise<CheckoutStage> {
  const [harness, browser] = await Promise.all([startCheckoutHarness(site), launchBrowser()])
  const problems: string[] = []
  return {
    harness,
    browser,
    problems,
    async open(url, options) {
      const buyer = await openAsBuyer(browser, url, options)
      const close = async () => {
        problems.push(...buyer.problems.map((each) => `${buyer.page.url()}: ${each}`))
        await buyer.close()
      }
      return { ...buyer, close }
    },
    async close() {
      await browser.close()
      await harness.close()
    },
  }
}
