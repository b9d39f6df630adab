import { html, type SafeHtml } from '@remix-run/html-template'
import { type Locale, localeFacts, locales } from '../messages/locales.ts'

/** Links to the same page in every language, each by its own name; they work without scripts. */
export function languageSwitch(current: Locale, label: string, linkTo: (locale: Locale) => string): SafeHtml {
  const links = locales.map((locale) => {
    const { name, direction } = localeFacts[locale]
    return html`<li><a href="${linkTo(locale)}" lang="${locale}" hreflang="${locale}" dir="${direction}"${locale === current ? html` aria-current="true"` : null}>${name}</a></li>`
  })
  return html`<nav class="languages" aria-label="${label}"><ul>${links}</ul></nav>`
}
