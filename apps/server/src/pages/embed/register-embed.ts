import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../kernel/refusal.ts'
import type { PageRequest } from '../html/answer-page.ts'
import type { PageAssets } from '../html/build-assets.ts'
import { imageHeaders, sendCompressed } from '../html/send-page.ts'
import { qrImage } from './qr-image.ts'

/** What the QR codes for print need. */
export type QrNeeds = {
  /** Counts a picture against the address that asks for it. @throws {Refusal} `rate_limited` */
  readonly admit: (request: FastifyRequest, reply: FastifyReply, name: 'pages') => Promise<void>
  /** Where the receipt that a request names is paid, in as few letters as can be. @throws {Refusal} `not_found` */
  readonly findPayUrl: (request: PageRequest, id: string) => Promise<string>
  /** Answers the page of a receipt; its id may end like the name of a picture. */
  readonly showPage: (request: PageRequest, reply: FastifyReply) => Promise<FastifyReply>
}

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

/** The payment link of a receipt as a QR code: `/portal/<id>.svg` and `.png`. */
export function registerQr(app: FastifyInstance, needs: QrNeeds): void {
  app.get<{ Params: { name: string } }>(
    '/portal/:name(^.+\\.(?:svg|png)$)',
    { config: { limit: 'own' } },
    async (request, reply) => {
      const { name } = request.params
      const pageRequest = request as PageRequest
      await needs.admit(request, reply, 'pages')
      if (await isReceipt(needs, pageRequest, name)) {
        pageRequest.params.id = name
        return needs.showPage(pageRequest, reply)
      }
      const format = name.endsWith('.svg') ? 'svg' : 'png'
      const { type, body } = qrImage(await needs.findPayUrl(pageRequest, name.slice(0, -4)), format)
      return reply
        .headers(imageHeaders)
        .header('cache-control', 'public, max-age=86400')
        .header('x-content-type-options', 'nosniff')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .type(type)
        .send(body)
    },
  )
}

async function isReceipt(needs: QrNeeds, request: PageRequest, id: string): Promise<boolean> {
  try {
    await needs.findPayUrl(request, id)
    return true
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found') return false
    throw error
  }
}
