import { html, type SafeHtml } from '@remix-run/html-template'
import { type Locale, localeFacts, locales } from '../messages/locales.ts'
import type { PageTheme } from '../theme/page-theme.ts'

/** Tone of a panel. An icon and text always convey the tone too; color is never the only indicator. */
export type Tone = 'plain' | 'wait' | 'good' | 'bad'

const signs = {
  check: 'M5 12.5l4.5 4.5L19 7.5',
  clock: 'M12 7v5.5l3.5 2M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18z',
  cross: 'M7 7l10 10M17 7L7 17',
  alert: 'M12 8v5M12 16.5v.5M12 3.5L2.5 20h19z',
  wallet:
    'M4 7.5h15a1.5 1.5 0 0 1 1.5 1.5v9A1.5 1.5 0 0 1 19 19.5H5A1.5 1.5 0 0 1 3.5 18V6A1.5 1.5 0 0 1 5 4.5h12M16 13.5h.5',
  card: 'M4.5 5.5h15A1.5 1.5 0 0 1 21 7v10a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 17V7a1.5 1.5 0 0 1 1.5-1.5zM3 10h18M7 14.5h4',
  shop: 'M4.5 10v9.5h15V10M3.5 9.5l2-5h13l2 5a2.8 2.8 0 0 1-5.6 0a2.8 2.8 0 0 1-5.8 0a2.8 2.8 0 0 1-5.6 0zM10 19.5v-5h4v5',
  play: 'M8 5.5v13l11-6.5z',
  code: 'M8.5 7L3.5 12l5 5M15.5 7l5 5l-5 5',
  dot: 'M12 9.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 0 0 0-5z',
  back: 'M9 14L4.5 9.5L9 5M5 9.5h9a5 5 0 0 1 0 10h-3',
} as const

export type IconName = keyof typeof signs

/** Returns the SVG path of an icon in a 24 by 24 square. */
export function signPath(name: IconName): string {
  return signs[name]
}

/** Renders a decorative icon; adjacent text carries the meaning. */
export function sign(name: IconName): SafeHtml {
  return html`<svg class="sign" viewBox="0 0 24 24" aria-hidden="true"><path d="${signs[name]}"/></svg>`
}

/**
 * Renders the head of a panel: an icon, a heading, and one or two sentences.
 *
 * Screen readers announce the text, as an alert if the tone is `bad`, otherwise as a status.
 */
export function panelHead(
  tone: Tone,
  name: IconName,
  title: SafeHtml | string,
  text: SafeHtml | string,
): SafeHtml {
  return html`<header class="head ${tone}" data-tone="${tone}"><span class="badge">${sign(name)}</span><h2 tabindex="-1">${title}</h2><p>${text}</p></header>`
}

/** Escapes merchant text and isolates its direction from the surrounding text. */
export function merchantText(text: string): SafeHtml {
  return html`<bdi>${text}</bdi>`
}

export function fact(term: string, value: SafeHtml | string, className = ''): SafeHtml {
  return html`<div class="${className}"><dt>${term}</dt><dd>${value}</dd></div>`
}

/** Renders links to the page in every language, each labeled in its own language. Works without scripts. */
export function languageSwitch(current: Locale, label: string, linkTo: (locale: Locale) => string): SafeHtml {
  const links = locales.map((locale) => {
    const { name, direction } = localeFacts[locale]
    return html`<li><a href="${linkTo(locale)}" lang="${locale}" hreflang="${locale}" dir="${direction}"${locale === current ? html` aria-current="true"` : null}>${name}</a></li>`
  })
  return html`<nav class="languages" aria-label="${label}"><ul>${links}</ul></nav>`
}

/** Renders the logo of a theme, or the initial of the name. Decorative: the name is always adjacent. */
export function brandMark(theme: PageTheme | undefined, name: string): SafeHtml {
  const logo = theme?.logo
  if (!logo) return html`<span class="mark" aria-hidden="true">${initialOf(name)}</span>`
  const shape = logo.shape === 'circle' ? 'mark round' : 'mark'
  return html`<img class="${shape}" src="${logo.url}" srcset="${logo.srcset}" sizes="48px" width="48" height="48" alt="">`
}

export function initialOf(name: string): string {
  const first = [...name].find((sign) => /[\p{L}\p{N}]/u.test(sign))
  return first?.toUpperCase() ?? '•'
}

export function explorerUrl(
  chain: { readonly explorerUrl: string | null },
  kind: 'tx' | 'address',
  of: string,
): string | undefined {
  return chain.explorerUrl === null ? undefined : `${chain.explorerUrl}/${kind}/${encodeURIComponent(of)}`
}

/** Renders a link to another site. The link sends no referrer. */
export function outsideLink(url: string, content: SafeHtml | string): SafeHtml {
  return html`<a href="${url}" target="_blank" rel="noopener noreferrer">${content}</a>`
}

/** Shortens an address visually; screen readers get the full address. */
export function shortAddress(address: string): SafeHtml {
  return html`<span class="mono" aria-hidden="true">${address.slice(0, 6)}…${address.slice(-4)}</span><span class="hidden">${address}</span>`
}

const shapes = {
  bag: 'M6 8h12l1 12H5zM9 8V6.5a3 3 0 0 1 6 0V8',
  search: 'M11 4.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13zM16 16l4 4',
  back: 'M15 5l-7 7l7 7',
  on: 'M9 5l7 7l-7 7',
  spark: 'M12 3.5l2.1 5.9l5.9 2.1l-5.9 2.1l-2.1 5.9l-2.1-5.9l-5.9-2.1l5.9-2.1z',
} as const

export function icon(name: keyof typeof shapes): SafeHtml {
  const turns = name === 'back' || name === 'on' ? ' turns' : ''
  return html`<svg class="icon${turns}" viewBox="0 0 24 24" aria-hidden="true"><path d="${shapes[name]}"/></svg>`
}
