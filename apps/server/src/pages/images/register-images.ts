import { createHash } from 'node:crypto'
import { html } from '@remix-run/html-template'
import type { Hex } from '@sluice/protocol/theme/colour-space.ts'
import { fillWithText } from '@sluice/protocol/theme/readable.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ImageKind, ImageOutcome, ImageSource } from '../../images/image.ts'
import { ApiError } from '../../kernel/api-error.ts'
import { initialOf } from '../html/parts.ts'
import { imageHeaders } from '../html/send-page.ts'
import { defaultPrimary } from '../theme/make-theme.ts'
import { type ImageSlot, imageHash, parseSlot } from '../theme/page-image.ts'

export type FoundImage = {
  readonly url: string
  readonly name: string
  /** The owner's primary color as `#rrggbb`, if chosen. */
  readonly primary: string | undefined
}

export type ImageNeeds = {
  readonly images: {
    readonly findStored: (owner: string, slot: ImageSlot) => Promise<FoundImage | undefined>
    readonly store: { find(source: ImageSource): Promise<ImageOutcome>; close(): void }
  }
}

const filePattern = /^([A-Za-z0-9_-]{12})-([0-9]{2,4})\.webp$/

/**
 * Registers the image proxy, which serves only configured images. An image's URL names the owner and the
 * slot, not the remote URL.
 *
 * Serves a placeholder if an image is unavailable, so that pages show no broken images.
 */
export function registerImages(app: FastifyInstance, needs: ImageNeeds): void {
  const { images } = needs
  app.get<{ Params: { owner: string; slot: string; file: string } }>(
    '/images/:owner/:slot/:file',
    { config: { limit: 'images' } },
    async (request, reply) => {
      const { owner, slot: slotName, file } = request.params
      const [, hash, width] = filePattern.exec(file) ?? []
      const slot = hash && width ? parseSlot(slotName) : undefined
      const found = slot && (await images.findStored(owner, slot))
      if (!found) throw new ApiError('not_found', 'Image not found')
      const { url, name, primary } = found
      // An outdated URL returns the new image with a short cache lifetime.
      const isCurrent = imageHash(url) === hash
      const outcome = await images.store.find({ owner, url, kind: slot.kind })
      if (outcome.kind === 'error') {
        const svg = Buffer.from(placeholderSvg(slot.kind, name, primary))
        return sendImage(request, reply, { type: 'image/svg+xml', body: svg, maxAge: 60 })
      }
      const { variants, type } = outcome.image
      const variant = variants.find((each) => each.width >= Number(width)) ?? variants.at(-1)
      if (!variant) throw new ApiError('not_found', 'Image not found')
      return sendImage(request, reply, { type, body: variant.body, maxAge: isCurrent ? 86_400 : 60 })
    },
  )
  app.addHook('onClose', async () => images.store.close())
}

function sendImage(
  request: FastifyRequest,
  reply: FastifyReply,
  image: { readonly type: string; readonly body: Buffer; readonly maxAge: number },
): FastifyReply {
  const etag = `"${createHash('sha256').update(image.body).digest('base64url').slice(0, 22)}"`
  reply
    .headers(imageHeaders)
    .header('cache-control', `public, max-age=${image.maxAge}`)
    .header('etag', etag)
    .header('x-content-type-options', 'nosniff')
    // An image opened directly is a document: this policy blocks its scripts and requests.
    .header('content-security-policy', "default-src 'none'; sandbox")
    .type(image.type)
  if (request.headers['if-none-match'] === etag) return reply.status(304).send()
  return reply.send(image.body)
}

function placeholderSvg(kind: ImageKind, name: string, primary: string | undefined): string {
  if (kind === 'cover') return '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
  const { fill, text } =
    kind === 'product'
      ? { fill: '#80808024', text: '#808080' }
      : fillWithText((primary ?? defaultPrimary) as Hex)
  const [letter] = initialOf(name)
  return String(
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="96" height="96"><rect width="96" height="96" fill="${fill}"/><text x="48" y="50" fill="${text}" font-family="system-ui,sans-serif" font-size="44" font-weight="600" text-anchor="middle" dominant-baseline="central">${letter ?? ''}</text></svg>`,
  )
}
