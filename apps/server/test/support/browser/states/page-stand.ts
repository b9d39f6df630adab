import { type CheckoutHarness, startCheckoutHarness } from '../checkout-harness.ts'
import { type MerchantPage, serveMerchantPage } from '../merchant-page.ts'
import { type PageHarness, startPageHarness } from '../page-harness.ts'

/** All pages of a buyer, over what is written by hand, and a merchant's page with a payment button. */
export type PageStand = {
  readonly pages: PageHarness
  readonly checkouts: CheckoutHarness
  readonly merchant: MerchantPage
  close(): Promise<void>
}

/** Serves them on free ports. */
export async function startPageStand(): Promise<PageStand> {
  // One after the other: each ends the builder of the pages' files when it has them.
  const pages = await startPageHarness()
  const checkouts = await startCheckoutHarness({ walletConnectProject: 'gallery' })
  const merchant = await serveMerchantPage(() => merchantBody(checkouts.url))
  checkouts.allowed.origins = [merchant.origin]
  return {
    pages,
    checkouts,
    merchant,
    async close() {
      await Promise.all([merchant.close(), checkouts.close(), pages.close()])
    },
  }
}

/** What a merchant's own page may look like; the button opens the checkout over it. */
function merchantBody(checkoutUrl: string): string {
  return `<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
<style>body{background:Canvas;font:17px/1.6 system-ui;max-width:640px;margin:8vh auto;padding:0 20px}
a{display:inline-block;padding:14px 26px;border-radius:12px;background:#8a3b1c;color:#fff;text-decoration:none;font-weight:600}</style>
<script src="${checkoutUrl}/embed.js"></script>
<h1>Harbour Coffee Roasters</h1><p>Order 1001: Ethiopia Guji, 1 kg.</p>
<p><a href="${checkoutUrl}/pay/coffee-embedded" data-sluice-pay>Pay $25.00</a></p>`
}
