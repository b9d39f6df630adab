import { html, type SafeHtml } from '@remix-run/html-template'
import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { merchantText, sign } from '../html/parts.ts'
import type { PageContext } from './page-context.ts'

/**
 * Renders the form for card and bank payments, which works without scripts.
 *
 * Returns nothing if cards are disabled. During confirmation, returns a note that the remaining amount can be
 * paid later.
 *
 * @param look - `way`: one of several ways. `again`: the main way after a failure.
 */
export function cardWay(
  view: CheckoutView,
  context: PageContext,
  look: 'way' | 'again' = 'way',
): SafeHtml | null {
  const { onramp } = view
  if (!onramp) return null
  const { t, cardPath, isEmbedded, isCardAway } = context
  if (onramp.methods.length === 0)
    return html`<p class="note" role="status">${t.text('checkout.card.confirming')}</p>`
  const brand = merchantText(view.brandName)
  const label = look === 'again' ? 'again' : onramp.methods.includes('ach') ? 'pay-or-bank' : 'pay'
  const note =
    onramp.provider === 'sandbox' ? t.text('checkout.card.sandbox') : t.html('checkout.card.note', { brand })
  // The provider's page does not allow framing.
  const target = isEmbedded ? html` target="_blank"` : null
  return html`<form method="post" action="${cardPath}" class="bycard"${target} data-card>
${isCardAway ? html`<p class="fault" role="alert">${sign('alert')}<span>${t.text('checkout.card.away')}</span></p>` : null}
<button class="${look === 'again' ? 'button' : 'quiet'}">${sign('card')}<span>${t.text(`checkout.card.${label}`)}</span></button>
<p class="note">${note}</p></form>`
}

export function providerWait(view: CheckoutView, { t, linkTo, pageUrl }: PageContext): SafeHtml {
  const token = view.attempt?.token ?? view.tokens[0]?.symbol ?? ''
  const refresh = (parts: readonly (string | SafeHtml)[]) => html`<a href="${pageUrl}">${[...parts]}</a>`
  const again = (parts: readonly (string | SafeHtml)[]) => html`<a href="${linkTo(token)}">${[...parts]}</a>`
  return html`<p class="progress"><progress aria-label="${t.text('checkout.provider.waiting')}"></progress>${t.text('checkout.provider.waiting')}</p>
<p class="note">${t.html('checkout.provider.not-paid', { again })}</p>
<noscript><p class="note">${t.html('checkout.pending.refresh', { refresh })}</p></noscript>`
}

export function quoteButton(
  label: string,
  view: CheckoutView,
  context: PageContext,
  look: 'button' | 'quiet' = 'button',
): SafeHtml {
  const token = view.attempt?.token ?? view.payment.token ?? view.tokens[0]?.symbol ?? ''
  return html`<p class="actions"><a class="${look}" href="${context.linkTo(token)}">${label}</a></p>`
}

type Site = { readonly isProduction: boolean }

/** Returns the merchant's return URL, if it is allowed. */
export function returnUrl(view: CheckoutView, site: Site): string | undefined {
  return followable(view.returnUrl, site)?.href
}

export function wayBack(view: CheckoutView, site: Site): { href: string; name: string } | undefined {
  const url = followable(view.shopUrl, site)
  return url && { href: url.href, name: url.pathname === '/' ? url.host : view.brandName }
}

/** Allows https, and in development also http on localhost. Rejects URLs with credentials. */
function followable(text: string | null, { isProduction }: Site): URL | undefined {
  if (!text || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  const isFine = url.protocol === 'https:' || (url.protocol === 'http:' && isLocal && !isProduction)
  return isFine && url.username === '' && url.password === '' ? url : undefined
}
