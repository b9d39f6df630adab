import { html, type SafeHtml } from '@remix-run/html-template'
import type { PageAssets } from './html/build-assets.ts'
import { htmlDocument } from './html/html-document.ts'
import { sign } from './panels/parts.ts'

/** Why there is no checkout to show. */
export type PageError = 'not-found' | 'too-many' | 'out-of-order'

/** The HTTP status each is answered with. */
export const errorStatusOf = {
  'not-found': 404,
  'too-many': 429,
  'out-of-order': 503,
} as const satisfies Record<PageError, number>

const words = {
  'not-found': {
    title: 'Payment not found',
    text: 'There is no payment at this link. Check that it is complete, or ask the merchant for a new one.',
  },
  'too-many': {
    title: 'Too many requests',
    text: 'Wait a minute, then reload this page.',
  },
  'out-of-order': {
    title: 'The status is temporarily unavailable',
    text: 'We cannot reach our records. Nothing you have paid is lost: payments are on the network and will be found. Do not pay again; reload this page in a moment.',
  },
} as const

/** A page that says there is nothing to show, and why. */
export function errorPage(
  trouble: PageError,
  frame: { readonly assets: PageAssets; readonly nonce: string; readonly correlationId: string },
): SafeHtml {
  const { title, text } = words[trouble]
  return htmlDocument({
    ...frame,
    title: `${title} · Sluice`,
    body: html`<main id="checkout" class="alone"><section id="panel" data-panel="${trouble}"><div class="stage">
<header class="head plain"><span class="badge">${sign('alert')}</span><h1>${title}</h1><p>${text}</p></header>
${trouble === 'not-found' ? null : html`<p class="actions"><a class="button" href="">Try again</a></p>`}
<p class="dim reference">Reference <span class="mono">${frame.correlationId}</span></p></div></section></main>`,
  })
}
