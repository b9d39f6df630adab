import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerPage, type PageRequest, type PageTools } from '../html/answer-page.ts'
import type { PageAssets } from '../html/build-assets.ts'
import { homePage } from './home-page.ts'
import { unknownPage } from './unknown-page.ts'

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
