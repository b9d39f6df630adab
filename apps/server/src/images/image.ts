export type ImageKind = 'logo' | 'icon' | 'cover' | 'product'

/** Widths in pixels per kind, in ascending order. Images are never enlarged. */
export const imageWidths: Readonly<Record<ImageKind, readonly number[]>> = {
  logo: [96, 192],
  icon: [64],
  cover: [800, 1600],
  product: [400, 800],
}

/** Upper limits for a remote image. */
export const imageLimits = {
  bytes: 4 * 1024 * 1024,
  side: 4096,
  /** Width times height, which bounds the memory needed for decoding. */
  pixels: 12_000_000,
  /** Time from the first connection to the last byte, including redirects. */
  fetchMs: 5_000,
  redirects: 3,
  encodeMs: 8_000,
} as const

export type ImageSource = {
  /** Owner of the image. One owner's requests do not delay another owner's. */
  readonly owner: string
  readonly url: string
  readonly kind: ImageKind
}

/** A re-encoded image: no byte of the fetched file is served. */
export type EncodedImage = {
  readonly type: 'image/webp' | 'image/png'
  /** In ascending order of width. */
  readonly variants: readonly { readonly width: number; readonly body: Buffer }[]
}

export type ImageError =
  /** The URL or a redirect target is not allowed. */
  | 'refused'
  | 'unreachable'
  | 'too-large'
  /** Not a valid PNG, JPEG, WebP, GIF or AVIF by content; name and content type are ignored. */
  | 'not-an-image'
  | 'too-many-pixels'
  | 'busy'

export type ImageOutcome =
  | { readonly kind: 'image'; readonly image: EncodedImage }
  | { readonly kind: 'error'; readonly error: ImageError }

export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'gif' | 'avif'

/**
 * Returns the format by the file's first bytes, or `undefined`. SVG is excluded: it can contain scripts and
 * references.
 */
export function sniffImage(bytes: Uint8Array): ImageFormat | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 64)).toString('latin1')
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'webp'
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'gif'
  if (head.slice(4, 8) === 'ftyp' && /^avi[fs]/.test(head.slice(8))) return 'avif'
  return undefined
}
