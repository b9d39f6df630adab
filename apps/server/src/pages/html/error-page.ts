import { html, type SafeHtml } from '@remix-run/html-template'
import { ApiError } from '../../kernel/api-error.ts'
import type { Translator } from '../messages/translator.ts'
import { type PageTheme, plainTheme } from '../theme/page-theme.ts'
import type { PageAssets } from './build-assets.ts'
import { htmlDocument } from './html-document.ts'
import { sign } from './parts.ts'

export type PageFrame = {
  readonly assets: PageAssets
  readonly nonce: string
  readonly t: Translator
  readonly correlationId: string
  readonly theme?: PageTheme
  readonly embedder?: string
  /** Declares every font, for the preview. */
  readonly hasEveryFont?: boolean
}

export type PageError = 'not-found' | 'too-many' | 'out-of-order'

export const errorStatusOf = {
  'not-found': 404,
  'too-many': 429,
  'out-of-order': 503,
} as const satisfies Record<PageError, number>

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

export function pageErrorOf(error: unknown): PageError {
  const code = error instanceof ApiError ? error.code : undefined
  if (code === 'not_found' || code === 'invalid_input') return 'not-found'
  return code === 'rate_limited' ? 'too-many' : 'out-of-order'
}
