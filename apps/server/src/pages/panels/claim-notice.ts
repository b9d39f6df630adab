import { html, type SafeHtml } from '@remix-run/html-template'
import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { merchantText, sign } from '../html/parts.ts'
import type { PageContext } from './page-context.ts'

/**
 * Money that came for this receipt and does not count towards it, with the way to claim it: on every panel, whatever
 * else it says. Nothing where there is none, or where the merchant has decided about it.
 */
export function claimNotice({ unmatched, brandName }: CheckoutView, context: PageContext): SafeHtml | null {
  const [newest] = unmatched
  if (!newest) return null
  const { t } = context
  const brand = merchantText(brandName)
  return html`<aside class="claimable" aria-label="${t.text('checkout.claim.region')}">${sign('alert')}<div><p>${t.html('checkout.claim.text', { brand, count: unmatched.length })}</p>
<p><a href="${context.claimPath(newest.transactionHash)}">${t.text('checkout.claim.link')}</a></p></div></aside>`
}
