import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PageAssets } from '../html/build-assets.ts'
import type { PageFrame } from '../html/error-page.ts'
import { htmlDocument } from '../html/html-document.ts'
import { type PageRequest, type PageTools, pageHandler } from '../html/page-handler.ts'
import { brandMark, type IconName, sign } from '../html/parts.ts'
import type { Translator } from '../messages/translator.ts'

export type SiteNeeds = PageTools & {
  readonly site: { readonly hasDemoWallet?: boolean }
}

/**
 * Registers the start page.
 *
 * @returns the handler for unknown pages.
 */
export function registerSite(
  app: FastifyInstance,
  needs: SiteNeeds,
  assets: PageAssets,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const { site } = needs
  const showHome = pageHandler(needs, assets, async (request, frame) => {
    const theme = await needs.themes.find(undefined, request.headers.host)
    const { brandName } = theme
    return { html: homePage({ brandName, hasDemo: site.hasDemoWallet ?? false }, { ...frame, theme }) }
  })
  app.get('/', { config: { limit: 'own' } }, showHome)
  const showUnknown = pageHandler(needs, assets, async (request, frame) => ({
    status: 404,
    html: unknownPage({ ...frame, theme: await needs.themes.find(undefined, request.headers.host) }),
  }))
  return (request, reply) => showUnknown(request as PageRequest, reply)
}

function unknownPage(frame: PageFrame): SafeHtml {
  const { t } = frame
  const title = t.text('site.unknown.title')
  return htmlDocument({
    ...frame,
    locale: t.locale,
    style: frame.assets.styles.site,
    title,
    body: html`<main class="unknown wait"><span class="badge">${sign('alert')}</span><h1>${title}</h1>
<p class="lead">${t.text('site.unknown.text')}</p>
<p class="links"><a class="button" href="/">${t.text('site.unknown.home')}</a></p></main>
<footer><p>${t.text('site.footer')}</p></footer>`,
  })
}

export type Home = {
  readonly brandName: string
  /** True if the service runs on a local chain with a demo merchant. */
  readonly hasDemo: boolean
}

export function homePage({ brandName, hasDemo }: Home, frame: PageFrame): SafeHtml {
  const { t, assets } = frame
  return htmlDocument({
    ...frame,
    locale: t.locale,
    style: assets.styles.site,
    title: t.text('site.home.title', { brand: brandName }),
    body: html`<main class="home">
<p class="name">${frame.theme?.logo ? brandMark(frame.theme, brandName) : html`<img src="${assets.icon}" alt="" width="36" height="36">`}<bdi>${brandName}</bdi></p>
<h1>${t.text('site.home.heading')}</h1>
<p class="lead">${t.text('site.home.text')}</p>
<ul class="ways">
${hasDemo ? demoWay(t) : null}
${way('wallet', t.text('site.home.buyer.title'), t.text('site.home.buyer.text'), html`<a href="/claim">${t.text('site.home.buyer.link')}</a>`)}
${way('shop', t.text('site.home.merchant.title'), t.text('site.home.merchant.text'), html`<a class="button" href="/app">${t.text('site.home.merchant.link')}</a>`)}
${way('code', t.text('site.home.docs.title'), t.text('site.home.docs.text'), html`<a class="button" href="/docs/api">${t.text('site.home.docs.link')}</a> <a href="/docs/">${t.text('site.home.guides.link')}</a> <a href="/openapi.json">${t.text('site.home.openapi.link')}</a>`)}
</ul>
</main>
<footer><p>${t.text('site.footer')}</p></footer>`,
  })
}

function demoWay(t: Translator): SafeHtml {
  const links = html`<a class="button" href="${demoCheckoutPath}">${t.text('site.home.demo.link')}</a> <a href="${demoShopPath}">${t.text('site.home.demo.shop')}</a>`
  return way('play', t.text('site.home.demo.title'), t.text('site.home.demo.text'), links)
}

function way(name: IconName, title: string, text: string, links?: SafeHtml): SafeHtml {
  return html`<li><span class="badge">${sign(name)}</span><h2>${title}</h2><p>${text}</p>${links ? html`<p class="links">${links}</p>` : null}</li>`
}

/** Local path that redirects to an unpaid receipt of the demo merchant. */
export const demoCheckoutPath = '/local/checkout'

export const demoShopSlug = 'demo'

const demoShopPath = `/shop/${demoShopSlug}`
