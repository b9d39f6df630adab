import { html } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../kernel/refusal.ts'
import type { EmbedNeeds } from './embed/judge-embedding.ts'
import { answerPage, type PageTools } from './html/answer-page.ts'
import type { PageAssets } from './html/build-assets.ts'
import type { CheckoutAddress } from './panels/load-checkout.ts'

/** Reads the merchant's script of a paid receipt. @throws {Refusal} `not_found` */
export type FindOnSuccess = (
  request: CheckoutAddress,
) => Promise<{ readonly script: string; readonly merchant: string } | undefined>

/**
 * The page of a merchant's script, for the frame in which the checkout of a paid receipt runs it and for nothing
 * else: opened by itself it would still have no origin, but neither is it there.
 */
export function registerOnSuccess(
  app: FastifyInstance,
  tools: PageTools & EmbedNeeds,
  assets: PageAssets,
  find: FindOnSuccess,
): void {
  const show = answerPage(tools, assets, async (request, { nonce, assets: { scripts } }) => {
    const { recipient } = request.query
    const isFramed = request.headers['sec-fetch-dest'] === 'iframe'
    if (!isFramed || Array.isArray(recipient)) throw new Refusal('not_found', 'Receipt not found')
    const found = await find({
      id: request.params.id ?? '',
      recipient: typeof recipient === 'string' ? recipient : undefined,
      host: request.headers.host,
    })
    if (!found) throw new Refusal('not_found', 'Receipt not found')
    return {
      html: html`<!doctype html>
<meta charset="utf-8"><title>onSuccess</title>
<body><template>${found.script}</template><script src="${scripts['on-success-frame']}" nonce="${nonce}"></script></body>
`,
      // Around the checkout there may be a page of the merchant's own.
      allow: { isSandboxed: true, framedBy: await tools.embedding.findOrigins(found.merchant) },
    }
  })
  app.get('/pay/:id/on-success', { config: { limit: 'own' } }, show)
}
