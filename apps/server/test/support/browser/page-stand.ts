import type { Page } from 'playwright-core'
import { type PageHarness, serveMerchantPage, startPageHarness } from './page-harness.ts'

export type PageStand = PageHarness & { readonly shopUrl: string }

export async function startPageStand(): Promise<PageStand> {
  const pages = await startPageHarness({ walletConnectProject: 'gallery' })
  const shop = await serveMerchantPage(() => shopPage(pages.url))
  pages.allowed.origins = [shop.origin]
  const close = async () => {
    await Promise.all([shop.close(), pages.close()])
  }
  return { ...pages, shopUrl: shop.url, close }
}

function shopPage(checkoutUrl: string): string {
  return `<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
<style>body{background:Canvas;font:17px/1.6 system-ui;max-width:640px;margin:8vh auto;padding:0 20px}
a{display:inline-block;padding:14px 26px;border-radius:12px;background:#8a3b1c;color:#fff;text-decoration:none;font-weight:600}</style>
<script src="${checkoutUrl}/embed.js"></script>
<h1>Harbour Coffee Roasters</h1><p>Order 1001: Ethiopia Guji, 1 kg.</p>
<p><a href="${checkoutUrl}/pay/coffee-embedded" data-sluice-pay>Pay $25.00</a></p>`
}

export type PageState = {
  readonly put: (stand: PageStand) => string
  readonly initScript?: string
  readonly cookie?: string
  readonly act?: (page: Page) => Promise<void>
  /** HTTP status, if it is not 200. */
  readonly status?: number
}

export const at =
  (path: string): PageState['put'] =>
  ({ url }) =>
    url + path
