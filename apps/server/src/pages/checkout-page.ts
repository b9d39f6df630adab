import { html, type SafeHtml } from '@remix-run/html-template'
import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { findNetwork } from '@sluice/protocol/networks/list.ts'
import type { PageFrame } from './html/error-page.ts'
import { htmlDocument } from './html/html-document.ts'
import { languageSwitch, merchantText, sign } from './html/parts.ts'
import { islandOffer, liveStatus } from './live/island-offer.ts'
import type { Translator } from './messages/translator.ts'
import type { Checkout } from './panels/load-checkout.ts'
import { outcomePanel } from './panels/outcome.ts'
import type { PageContext } from './panels/page-context.ts'
import { isClosed, isPaid, isPayable } from './panels/panel.ts'
import { payPanel } from './panels/pay.ts'
import { summary, totalText } from './panels/summary.ts'
import { walletButtons } from './panels/wallet-steps.ts'

/**
 * Renders the checkout as a document that also works without scripts.
 *
 * The script replaces `#summary` and `#panel` with those of a newer copy of this document, so that only the
 * server renders states.
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
      : t.text('checkout.title', { amount: totalText(view, t), brand }),
    scripts: [
      frame.assets.scripts.checkout,
      ...(context.hasDemoWallet ? [frame.assets.scripts['demo-wallet']] : []),
    ],
    body: html`
<a class="skip" href="#panel">${t.text('checkout.skip')}</a>
${testNotice(checkout, context)}
<main id="checkout">
<p class="hidden" role="status" id="say"></p><p class="hidden" role="alert" id="warn"></p>
<p class="banner" id="offline" hidden>${t.text('checkout.offline')}</p>
<section id="summary" aria-label="${t.text('checkout.order.region')}">${summary(view, panel, { context, theme: frame.theme })}</section>
${panelSection(checkout, context, frame)}
</main>
<footer><p>${t.text('checkout.footer', { network: view.chain.name })}</p>
${languageSwitch(t.locale, t.text('checkout.languages'), context.languageLink)}</footer>`,
  })
}

function panelSection(checkout: Checkout, context: PageContext, frame: PageFrame): SafeHtml {
  const { view, panel } = checkout
  const { t } = context
  const offer = isPayable(panel)
    ? islandOffer(view, context, frame.assets.scripts['sign-payment'])
    : undefined
  return html`<section id="panel" aria-label="${t.text('checkout.payment.region')}" data-panel="${panel}" data-version="${liveStatus(checkout).version}" data-kind="${isPaid(panel) ? 'paid' : offer ? 'payable' : 'other'}" data-receipt="${view.recipient}/${view.receiptId}"${
    isClosed(panel) ? null : html` data-status="${context.pathTo('status')}"`
  }${
    offer
      ? html` data-hint="${context.apiPathTo('hint')}" data-offer="${JSON.stringify(offer)}" data-brand="${view.brandName}" data-steps="${frame.assets.steps[t.locale]}"${walletConnectData(context, frame)}`
      : null
  }${isPaid(panel) ? onSuccessData(view, context) : null}>
${isClosed(panel) ? null : claimNotice(view, context)}
<div id="stage">${isPayable(panel) ? payPanel(view, context) : outcomePanel(panel, view, context)}</div>
${isClosed(panel) ? claimNotice(view, context) : null}
${offer ? walletButtons(t) : null}
${isPaid(panel) && view.hasOnSuccess ? leaveStep(t) : null}
${help(checkout, context)}
</section>`
}

function testNotice({ view }: Checkout, { t }: PageContext): SafeHtml | null {
  const { id, name } = view.chain
  if (findNetwork(id)?.use === 'live') return null
  return html`<p class="strip">${t.html('checkout.test-network', { network: name })}</p>`
}

function help({ view, panel }: Checkout, { t, claimPath }: PageContext): SafeHtml {
  const how = isPayable(panel) ? t.text('checkout.help.pay') : t.text('checkout.help.follow')
  const contact = t.html('checkout.help.contact', { brand: merchantText(view.brandName) })
  const claim = (parts: readonly (string | SafeHtml)[]) => html`<a href="${claimPath()}">${[...parts]}</a>`
  return html`<details class="help"><summary>${t.text('checkout.help.title')}</summary><p>${how} ${contact}</p><p>${t.html('checkout.help.claim', { claim })}</p></details>`
}

function walletConnectData({ walletConnectProject }: PageContext, { assets }: PageFrame): SafeHtml | null {
  if (walletConnectProject === undefined || assets.walletConnect === undefined) return null
  return html` data-walletconnect="${assets.walletConnect}" data-project="${walletConnectProject}"`
}

function onSuccessData(view: CheckoutView, context: PageContext): SafeHtml | null {
  if (!view.hasOnSuccess) return null
  const result = {
    receiptId: view.receiptId,
    // Buyers see a distributed payment as `paid`.
    status: 'paid',
    transactionHash: view.transactionHash,
    amount: view.total ?? view.totalUsd,
    currency: view.currency,
    token: view.payment.token,
  }
  return html` data-on-success="${context.pathTo('on-success')}" data-result="${JSON.stringify(result)}"`
}

/**
 * Renders a link to the claim form for an unmatched payment of this receipt. Returns `null` if there is no
 * such payment.
 */
function claimNotice({ unmatched, brandName }: CheckoutView, context: PageContext): SafeHtml | null {
  const [newest] = unmatched
  if (!newest) return null
  const { t } = context
  const brand = merchantText(brandName)
  return html`<aside class="claimable" aria-label="${t.text('checkout.claim.region')}">${sign('alert')}<div><p>${t.html('checkout.claim.text', { brand, count: unmatched.length })}</p>
<p><a href="${context.claimPath(newest.transactionHash)}">${t.text('checkout.claim.link')}</a></p></div></aside>`
}

function leaveStep(t: Translator): SafeHtml {
  const seconds = html`<span data-seconds>5</span>`
  return html`<template data-step="leave"><div class="return"><a class="button" data-return data-href="url"><span>${t.html('wallet.leave.button', { host: html`<bdi data-slot="host"></bdi>` })}</span></a>
<p class="leaving" data-countdown data-say="${t.text('wallet.leave.said')}" hidden><span>${t.html('wallet.leave.countdown', { seconds })}</span> <button type="button" class="quiet" data-act="stay">${t.text('wallet.act.cancel')}</button></p></div></template>`
}
