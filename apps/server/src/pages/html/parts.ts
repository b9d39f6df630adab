import { html, type SafeHtml } from '@remix-run/html-template'

/** How a panel feels; always together with its sign and its words, never by colour alone. */
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

/** The name of a sign that stands beside a heading. */
export type SignName = keyof typeof signs

/** The lines of a sign, in a square of 24 by 24. */
export function signPath(name: SignName): string {
  return signs[name]
}

/** A sign; decorative, since words always stand beside it. */
export function sign(name: SignName): SafeHtml {
  return html`<svg class="sign" viewBox="0 0 24 24" aria-hidden="true"><path d="${signs[name]}"/></svg>`
}

/**
 * The head of a panel: sign, heading, one or two sentences.
 *
 * The text is also what a screen reader is told when the panel comes up: as an alert with
 * the tone `bad`, as a status otherwise.
 */
export function panelHead(
  tone: Tone,
  name: SignName,
  title: SafeHtml | string,
  text: SafeHtml | string,
): SafeHtml {
  return html`<header class="head ${tone}" data-tone="${tone}"><span class="badge">${sign(name)}</span><h2 tabindex="-1">${title}</h2><p>${text}</p></header>`
}

/** Merchant text: escaped, kept from turning the direction of what stands around it. */
export function merchantText(text: string): SafeHtml {
  return html`<bdi>${text}</bdi>`
}

/** A row of facts: term and value. */
export function fact(term: string, value: SafeHtml | string, className = ''): SafeHtml {
  return html`<div class="${className}"><dt>${term}</dt><dd>${value}</dd></div>`
}
