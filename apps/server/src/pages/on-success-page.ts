import { html } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../kernel/api-error.ts'
import type { EmbedNeeds } from './embed/validate-embedding.ts'
import type { PageAssets } from './html/build-assets.ts'
import { type PageTools, pageHandler } from './html/page-handler.ts'
import type { CheckoutAddress } from './panels/load-checkout.ts'

export type FindOnSuccess = (
  request: CheckoutAddress,
) => Promise<{ readonly script: string; readonly merchant: string } | undefined>

/**
 * Registers the page that runs a merchant's script. Only the sandboxed frame of a paid checkout can load it.
 *
 * Other requests get `not_found`.
 */
export function registerOnSuccess(
  app: FastifyInstance,
  tools: PageTools & EmbedNeeds,
  assets: PageAssets,
  find: FindOnSuccess,
): void {
  const show = pageHandler(tools, assets, async (request, { nonce, assets: { scripts } }) => {
    const { recipient } = request.query
    const isFramed = request.headers['sec-fetch-dest'] === 'iframe'
    if (!isFramed || Array.isArray(recipient)) throw new ApiError('not_found', 'Receipt not found')
    const found = await find({
      id: request.params.id ?? '',
      recipient: typeof recipient === 'string' ? recipient : undefined,
      host: request.headers.host,
    })
    if (!found) throw new ApiError('not_found', 'Receipt not found')
    return {
      html: html`<!doctype html>
<meta charset="utf-8"><title>onSuccess</title>
<body><template>${found.script}</template><script src="${scripts['on-success-frame']}" nonce="${nonce}"></script></body>
`,
      allow: { isSandboxed: true, framedBy: await tools.embedding.findOrigins(found.merchant) },
    }
  })
  app.get('/pay/:id/on-success', { config: { limit: 'own' } }, show)
}
