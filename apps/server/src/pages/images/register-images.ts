import { createHash } from 'node:crypto'
import { html } from '@remix-run/html-template'
import type { Hex } from '@sluice/protocol/theme/colour-space.ts'
import { fillWithText } from '@sluice/protocol/theme/readable.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ImageKind, ImageOutcome, ImageSource } from '../../images/image.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { initialOf } from '../html/parts.ts'
import { imageHeaders } from '../html/send-page.ts'
import { defaultPrimary } from '../theme/make-theme.ts'
import { type ImageSlot, imageHash, parseSlot } from '../theme/page-image.ts'

/** A picture that is stored now, and what stands in for it. */
export type FoundImage = {
  readonly url: string
  readonly name: string
  /** The colour of its owner, `#rrggbb`, if one was chosen. */
  readonly primary: string | undefined
}

/** What the addresses of pictures need. */
export type ImageNeeds = {
  readonly images: {
    /** The picture a merchant or a brand has in this place; `undefined` where there is none. */
    readonly findStored: (owner: string, slot: ImageSlot) => Promise<FoundImage | undefined>
    readonly store: { find(source: ImageSource): Promise<ImageOutcome>; close(): void }
  }
}

const filePattern = /^([A-Za-z0-9_-]{12})-([0-9]{2,4})\.webp$/

/**
 * The image proxy: pictures that merchants and brands have in their configuration, and no others, at addresses that
 * say where they are stored. A picture that cannot be had is answered with its placeholder, so that a page never shows
 * a broken one.
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
      if (!found) throw new Refusal('not_found', 'No such picture')
      const { url, name, primary } = found
      // An old address shows the new picture, and not for long.
      const isCurrent = imageHash(url) === hash
      const outcome = await images.store.find({ owner, url, kind: slot.kind })
      if (outcome.kind === 'fault') {
        const svg = Buffer.from(placeholderSvg(slot.kind, name, primary))
        return sendImage(request, reply, { type: 'image/svg+xml', body: svg, maxAge: 60 })
      }
      const { variants, type } = outcome.image
      const variant = variants.find((each) => each.width >= Number(width)) ?? variants.at(-1)
      if (!variant) throw new Refusal('not_found', 'No such picture')
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
    // Opened by itself, a picture is a document: nothing may run or load in it.
    .header('content-security-policy', "default-src 'none'; sandbox")
    .type(image.type)
  if (request.headers['if-none-match'] === etag) return reply.status(304).send()
  return reply.send(image.body)
}

/** What a picture is shown as that cannot be: the initial letter for a logo or a product, nothing for a cover. */
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
