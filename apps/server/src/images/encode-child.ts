import sharp from 'sharp'
import { serveParent } from '../platform/process/child-worker.ts'
import { type EncodedImage, type ImageError, type ImageKind, imageLimits, imageWidths } from './image.ts'

/**
 * Decodes untrusted images in a child process without the service's settings, so that a decoder crash is
 * isolated.
 */

sharp.cache(false)
sharp.concurrency(1)
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadPng',
    'VipsForeignLoadJpeg',
    'VipsForeignLoadWebp',
    'VipsForeignLoadNsgif',
    'VipsForeignLoadHeif',
  ],
})

export type EncodeRequest = { readonly bytes: Uint8Array; readonly kind: ImageKind }

export type EncodeReply = { readonly image: EncodedImage } | { readonly error: ImageError }

const quality = 82

async function encode({ bytes, kind }: EncodeRequest): Promise<EncodeReply> {
  const { side, pixels } = imageLimits
  const options = { limitInputPixels: pixels, failOn: 'error', sequentialRead: true, pages: 1 } as const
  const { width, height } = await sharp(bytes, options).metadata()
  if (width > side || height > side || width * height > pixels) return { error: 'too-many-pixels' }
  const widths = imageWidths[kind]
  const [largest = 0] = widths.slice(-1)
  const { data, info } = await sharp(bytes, options)
    .autoOrient()
    .resize({ width: largest, height: largest, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { channels } = info
  const variants = await Promise.all(
    widths.map(async (most) => {
      const resized = sharp(data, { raw: { width: info.width, height: info.height, channels } }).resize({
        width: most,
        height: most,
        fit: 'inside',
        withoutEnlargement: true,
      })
      const written = kind === 'icon' ? resized.png({ compressionLevel: 9 }) : resized.webp({ quality })
      return { width: most, body: await written.toBuffer() }
    }),
  )
  return { image: { type: kind === 'icon' ? 'image/png' : 'image/webp', variants } }
}

function errorOf(error: unknown): ImageError {
  return String(error).includes('pixel limit') ? 'too-many-pixels' : 'not-an-image'
}

serveParent((request: EncodeRequest) =>
  encode(request).catch((error): EncodeReply => ({ error: errorOf(error) })),
)
