import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { PageAssets } from '../html/build-assets.ts'
import { imageHeaders, sendCompressed } from '../html/send-page.ts'

/** The script for pages of merchants; its address stays, so that browsers ask now and then whether it is a newer one. */
export function registerEmbedScript(app: FastifyInstance, { embed }: PageAssets): void {
  const etag = `"${createHash('sha256').update(embed.body).digest('base64url').slice(0, 22)}"`
  app.get('/embed.js', { config: { limit: 'none' } }, async (request, reply) => {
    reply
      .headers(imageHeaders)
      .header('cache-control', 'public, max-age=300, stale-while-revalidate=86400')
      .header('x-content-type-options', 'nosniff')
      .header('etag', etag)
    if (request.headers['if-none-match'] === etag) return reply.status(304).send()
    return sendCompressed(request, reply, embed)
  })
}
