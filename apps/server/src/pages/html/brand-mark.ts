import { html, type SafeHtml } from '@remix-run/html-template'
import type { PageTheme } from '../theme/page-theme.ts'

/** The logo of a theme, or the initial letter of a name; decorative, since the name always stands beside it. */
export function brandMark(theme: PageTheme | undefined, name: string): SafeHtml {
  const logo = theme?.logo
  if (!logo) return html`<span class="mark" aria-hidden="true">${initialOf(name)}</span>`
  const shape = logo.shape === 'circle' ? 'mark round' : 'mark'
  return html`<img class="${shape}" src="${logo.url}" srcset="${logo.srcset}" sizes="48px" width="48" height="48" alt="">`
}

/** The first letter or digit of a name, as a capital. */
export function initialOf(name: string): string {
  const first = [...name].find((sign) => /[\p{L}\p{N}]/u.test(sign))
  return first?.toUpperCase() ?? '•'
}
