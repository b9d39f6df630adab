import { html, type SafeHtml } from '@remix-run/html-template'
import type { PageFrame } from './html/error-page.ts'
import { htmlDocument } from './html/html-document.ts'
import { islandOffer } from './live/island-offer.ts'
import { liveStatus } from './live/live-status.ts'
import type { Checkout } from './panels/load-checkout.ts'
import { obstaclePanel } from './panels/obstacle.ts'
import { outcomePanel } from './panels/outcome.ts'
import type { PageContext } from './panels/page-context.ts'
import { isClosed, isPaid, isPayable } from './panels/panel.ts'
import { payPanel } from './panels/pay.ts'
import { summary, totalText } from './panels/summary.ts'
import { walletSteps } from './panels/wallet-steps.ts'

/**
 * The checkout as one document, complete without scripts.
 *
 * The script swaps `#summary` and `#panel` for those of a newer copy of this very document,
 * so there is one place where each state is drawn.
 */
export function checkoutPage(checkout: Checkout, context: PageContext, frame: PageFrame): SafeHtml {
  const { view, panel } = checkout
  const { t } = context
  const brand = view.brandName
  return htmlDocument({
    ...frame,
    locale: t.locale,
    title: isPaid(panel)
      ? t.text('checkout.title-paid', { brand })
      : t.text('checkout.title', { amount: totalText(view), brand }),
    scripts: [
      frame.assets.scripts.checkout,
      ...(context.hasDemoWallet ? [frame.assets.scripts['demo-wallet']] : []),
    ],
    body: html`
<a class="skip" href="#panel">Skip to the payment</a>
<main id="checkout">
<p class="hidden" role="status" id="say"></p><p class="hidden" role="alert" id="warn"></p>
<p class="banner" id="offline" hidden>You are offline. What you have paid is safe; this page continues when the connection is back.</p>
<section id="summary" aria-label="Your order">${summary(view, panel, frame.theme)}</section>
<section id="panel" aria-label="Payment" data-panel="${panel}" data-version="${liveStatus(checkout).version}" data-kind="${isPaid(panel) ? 'paid' : isPayable(panel) ? 'payable' : 'other'}" data-receipt="${view.recipient}/${view.receiptId}"${
      isClosed(panel)
        ? null
        : html` data-events="${context.pathTo('events')}" data-status="${context.pathTo('status')}"`
    }${
      isPayable(panel)
        ? html` data-hint="${context.apiPathTo('hint')}" data-offer="${JSON.stringify(islandOffer(view, context))}"`
        : null
    }>
<div id="stage">${isPayable(panel) ? payPanel(view, context) : (outcomePanel(panel, view, context) ?? obstaclePanel(panel, view, context))}</div>
${isPayable(panel) ? walletSteps(view.chain.name, view.brandName) : null}
${help(view.brandName, isPayable(panel))}
</section>
</main>
<footer><p>Paid directly to the merchant on ${view.chain.name}. Checkout by Sluice.</p></footer>`,
  })
}

function help(brandName: string, isPayable: boolean): SafeHtml {
  const how = isPayable
    ? 'This page detects your payment automatically, whichever wallet, exchange or device you send it from. Send the exact amount of the token shown, on the network shown.'
    : 'This page shows the current state of your payment and updates automatically.'
  return html`<details class="help"><summary>Help with this payment</summary><p>${how} If something is not right, contact <bdi>${brandName}</bdi> and quote the receipt number. Never send the same payment twice.</p></details>`
}
