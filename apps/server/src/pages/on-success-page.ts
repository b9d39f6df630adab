import { html } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../kernel/refusal.ts'
import type { EmbedNeeds } from './embed/judge-embedding.ts'
import { answerPage, type PageTools } from './html/answer-page.ts'
import type { PageAssets } from './html/build-assets.ts'
import type { CheckoutAddress, FindCheckout } from './panels/load-checkout.ts'

/** Reads the merchant's script of a paid receipt. @throws {Refusal} `not_found` */
export type FindOnSuccess = (request: CheckoutAddress) => Promise<string | undefined>

/** What the page of a script needs. */
export type OnSuccessNeeds = PageTools &
  EmbedNeeds & { readonly checkouts: { readonly find: FindCheckout; readonly findOnSuccess: FindOnSuccess } }

/**
 * The page of a merchant's script, for the frame in which the checkout of a paid receipt runs it and for nothing
 * else: opened by itself it would still have no origin, but neither is it there.
 */
export function registerOnSuccess(app: FastifyInstance, needs: OnSuccessNeeds, assets: PageAssets): void {
  const { checkouts, embedding } = needs
  const show = answerPage(needs, assets, async (request, { nonce, assets: { scripts } }) => {
    const { recipient } = request.query
    const isFramed = request.headers['sec-fetch-dest'] === 'iframe'
    if (!isFramed || Array.isArray(recipient)) throw new Refusal('not_found', 'Receipt not found')
    const address = {
      id: request.params.id ?? '',
      recipient: typeof recipient === 'string' ? recipient : undefined,
      host: request.headers.host,
    }
    const script = await checkouts.findOnSuccess(address)
    if (script === undefined) throw new Refusal('not_found', 'Receipt not found')
    // Around the checkout there may be a page of the merchant's, which then is around this one too.
    const framedBy = await embedding.findOrigins((await checkouts.find(address)).recipient)
    return {
      html: html`<!doctype html>
<meta charset="utf-8"><title>onSuccess</title>
<body><template>${script}</template><script src="${scripts['on-success-frame']}" nonce="${nonce}"></script></body>
`,
      allow: { isSandboxed: true, framedBy },
    }
  })
  app.get('/pay/:id/on-success', { config: { limit: 'own' } }, show)
}
