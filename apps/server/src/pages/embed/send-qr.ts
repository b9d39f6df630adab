import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../kernel/api-error.ts'
import type { PageRequest } from '../html/page-handler.ts'
import { imageHeaders } from '../html/send-page.ts'
import { qrImage } from './qr-image.ts'

export type QrNeeds = {
  /**
   * Applies the rate limit for images.
   * @throws {ApiError} `rate_limited`
   */
  readonly admit: (request: FastifyRequest, reply: FastifyReply, name: 'pages') => Promise<void>
  /**
   * Returns the shortest payment URL of the requested receipt.
   * @throws {ApiError} `not_found`
   */
  readonly findPayUrl: (request: PageRequest, id: string) => Promise<string>
}

type Handler = (request: PageRequest, reply: FastifyReply) => Promise<FastifyReply>

/**
 * Shows the receipt's page, or its payment link as a QR code if the path ends with `.svg` or `.png`.
 *
 * If a receipt's own id ends that way, the page is shown.
 */
export function sendQrOr(showPage: Handler, needs: QrNeeds): Handler {
  return async (request, reply) => {
    const { id = '' } = request.params
    const [, receiptId, format] = /^(.+)\.(svg|png)$/.exec(id) ?? []
    if (receiptId === undefined || format === undefined) return showPage(request, reply)
    await needs.admit(request, reply, 'pages')
    if (await isReceipt(needs, request, id)) return showPage(request, reply)
    const image = qrImage(await needs.findPayUrl(request, receiptId), format === 'svg' ? 'svg' : 'png')
    return reply
      .headers(imageHeaders)
      .header('cache-control', 'public, max-age=86400')
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .type(image.type)
      .send(image.body)
  }
}

async function isReceipt(needs: QrNeeds, request: PageRequest, id: string): Promise<boolean> {
  try {
    await needs.findPayUrl(request, id)
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return false
    throw error
  }
}
