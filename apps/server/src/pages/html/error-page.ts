import { html, type SafeHtml } from '@remix-run/html-template'
import { Refusal } from '../../kernel/refusal.ts'
import type { Translator } from '../messages/translator.ts'
import { type PageTheme, plainTheme } from '../theme/page-theme.ts'
import type { PageAssets } from './build-assets.ts'
import { htmlDocument } from './html-document.ts'
import { sign } from './parts.ts'

/** What every page is made with: its files, its nonce, its language, and the id of the request. */
export type PageFrame = {
  readonly assets: PageAssets
  readonly nonce: string
  readonly t: Translator
  readonly correlationId: string
  /** The look of the merchant the page is about, once that is known. */
  readonly theme?: PageTheme
  /** The origin whose page shows this one in a frame, allowed by the merchant. */
  readonly embedder?: string
  /** Any of the fonts may be asked for: the page is a preview. */
  readonly hasEveryFont?: boolean
}

/** Why there is no checkout to show. */
export type PageError = 'not-found' | 'too-many' | 'out-of-order'

/** The HTTP status each is answered with. */
export const errorStatusOf = {
  'not-found': 404,
  'too-many': 429,
  'out-of-order': 503,
} as const satisfies Record<PageError, number>

/** A page that says there is nothing to show, and why. */
export function errorPage(trouble: PageError, frame: PageFrame): SafeHtml {
  const { t } = frame
  const title = t.text(`error.${trouble}.title`)
  return htmlDocument({
    ...frame,
    locale: t.locale,
    title: `${title} · ${(frame.theme ?? plainTheme).brandName}`,
    body: html`<main id="checkout" class="alone"><section id="panel" data-panel="${trouble}"><div class="stage">
<header class="head plain"><span class="badge">${sign('alert')}</span><h1>${title}</h1><p>${t.text(`error.${trouble}.text`)}</p></header>
<p class="actions">${trouble === 'not-found' ? html`<a class="quiet" href="/">${t.text('site.unknown.home')}</a>` : html`<a class="button" href="">${t.text('error.try-again')}</a>`}</p>
<p class="dim reference">${t.html('error.reference', { id: html`<span class="mono">${frame.correlationId}</span>` })}</p></div></section></main>`,
  })
}

/** Which page an error is answered with. */
export function pageErrorOf(error: unknown): PageError {
  const code = error instanceof Refusal ? error.code : undefined
  if (code === 'not_found' || code === 'invalid_input') return 'not-found'
  return code === 'rate_limited' ? 'too-many' : 'out-of-order'
}
