import { html, type SafeHtml } from '@remix-run/html-template'
import type { PageFrame } from '../html/error-page.ts'
import { htmlDocument } from '../html/html-document.ts'
import { sign } from '../html/parts.ts'

/** The answer to a browser that asks for an address there is not, with a way on. */
export function unknownPage(frame: PageFrame): SafeHtml {
  const { t } = frame
  const title = t.text('site.unknown.title')
  return htmlDocument({
    ...frame,
    locale: t.locale,
    style: frame.assets.styles.site,
    title,
    body: html`<main class="unknown"><span class="badge">${sign('alert')}</span><h1>${title}</h1>
<p class="lead">${t.text('site.unknown.text')}</p>
<p class="links"><a class="button" href="/">${t.text('site.unknown.home')}</a></p></main>
<footer><p>${t.text('site.footer')}</p></footer>`,
  })
}
