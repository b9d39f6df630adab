import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerPage, type PageRequest, type PageTools } from '../html/answer-page.ts'
import type { PageAssets } from '../html/build-assets.ts'
import type { PageFrame } from '../html/error-page.ts'
import { htmlDocument } from '../html/html-document.ts'
import { sign } from '../html/parts.ts'
import { homePage } from './home-page.ts'

/** What the start page takes from the rest of the service. */
export type SiteNeeds = PageTools & {
  readonly site: { readonly hasDemoWallet?: boolean }
}

/**
 * Registers the start page.
 *
 * @returns what answers a browser that asks for a page there is not.
 */
export function registerSite(
  app: FastifyInstance,
  needs: SiteNeeds,
  assets: PageAssets,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const { site } = needs
  const showHome = answerPage(needs, assets, async (request, frame) => {
    const theme = await needs.themes.find(undefined, request.headers.host)
    const { brandName } = theme
    return { html: homePage({ brandName, hasDemo: site.hasDemoWallet ?? false }, { ...frame, theme }) }
  })
  app.get('/', { config: { limit: 'own' } }, showHome)
  const showUnknown = answerPage(needs, assets, async (request, frame) => ({
    status: 404,
    html: unknownPage({ ...frame, theme: await needs.themes.find(undefined, request.headers.host) }),
  }))
  return (request, reply) => showUnknown(request as PageRequest, reply)
}

/** The answer to a browser that asks for an address there is not, with a way on. */
function unknownPage(frame: PageFrame): SafeHtml {
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
