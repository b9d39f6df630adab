import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../kernel/api-error.ts'
import { memoize } from '../../kernel/turns/memoize.ts'
import type { PageAssets } from '../html/build-assets.ts'
import { type PageTools, pageHandler } from '../html/page-handler.ts'
import { contentsPage, guidePage, searchPage, unknownPage } from './guide-page.ts'
import { readGuides } from './read-guides.ts'
import { indexGuides, maxQueryLength } from './search-guides.ts'

/**
 * Registers the documentation routes. Guides are read on the first request, because most processes never
 * serve them.
 */
export function registerGuides(app: FastifyInstance, needs: PageTools, assets: PageAssets): void {
  const open = memoize(async () => {
    const guides = await readGuides()
    return { guides, search: await indexGuides(guides.pages) }
  })
  const config = { limit: 'own' }
  const allow = { forms: true }
  app.get('/docs', async (_request, reply) => reply.redirect('/docs/', 301))
  app.get(
    '/docs/',
    { config },
    pageHandler(needs, assets, async (_request, frame) => {
      const { guides } = await open()
      return { html: contentsPage(guides, frame), allow }
    }),
  )
  app.get(
    '/docs/search',
    { config },
    pageHandler(needs, assets, async (request, frame) => {
      const { guides, search } = await open()
      const { q } = request.query
      const query = typeof q === 'string' ? q.trim().slice(0, maxQueryLength) : ''
      return { html: searchPage(guides, { query, hits: search(query) }, frame), allow }
    }),
  )
  app.get(
    '/docs/*',
    { config },
    pageHandler(needs, assets, async (request, frame) => {
      const { guides } = await open()
      const guide = guides.byPath.get(request.params['*'] ?? '')
      if (!guide) return { status: 404, html: unknownPage(guides, frame), allow }
      return { html: guidePage(guides, guide, frame), allow }
    }),
  )
  app.get<{ Params: { folder: string; file: string } }>(
    '/docs/images/:folder/:file',
    { config: { limit: 'images' } },
    async (request, reply) => {
      const { guides } = await open()
      const { folder, file: name } = request.params
      const file = guides.pictures.get(`images/${folder}/${name}`)
      if (!file) throw new ApiError('not_found', 'No such file')
      return reply
        .header('cache-control', 'public, max-age=3600')
        .type(file.endsWith('.png') ? 'image/png' : 'image/webp')
        .send(await readFile(file))
    },
  )
}
