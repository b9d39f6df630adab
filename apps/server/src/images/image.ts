/** What a picture is for, which says how large it is needed. */
export type ImageKind = 'logo' | 'icon' | 'cover' | 'product'

/** The widths each kind is kept in, the smallest first; none is wider than the picture itself. */
export const imageWidths: Readonly<Record<ImageKind, readonly number[]>> = {
  logo: [96, 192],
  icon: [64],
  cover: [800, 1600],
  product: [400, 800],
}

/** What a remote picture may be at most. */
export const imageLimits = {
  /** As it is sent. */
  bytes: 4 * 1024 * 1024,
  /** Each side. */
  side: 4096,
  /** Width times height: what it takes to hold it. A photograph of 12 megapixels has 4000 by 3000. */
  pixels: 12_000_000,
  /** From the first connection to the last byte, redirects included. */
  fetchMs: 5_000,
  redirects: 3,
  encodeMs: 8_000,
} as const

/** A picture that a merchant or a brand has in its configuration. */
export type ImageSource = {
  /** Whose it is: pictures of one owner wait for each other, and not for those of others. */
  readonly owner: string
  readonly url: string
  readonly kind: ImageKind
}

/** A picture as we made it anew: nothing of the file that was fetched is passed on. */
export type EncodedImage = {
  readonly type: 'image/webp' | 'image/png'
  /** The narrowest first. */
  readonly variants: readonly { readonly width: number; readonly body: Buffer }[]
}

/** Why there is no picture. */
export type ImageFault =
  /** The address, or one it led to, is none that may be fetched. */
  | 'refused'
  /** No answer, or none that was right, in time. */
  | 'unreachable'
  | 'too-large'
  /** No PNG, JPEG, WebP, GIF or AVIF, whatever its name or its type says, or a broken one. */
  | 'not-an-image'
  | 'too-many-pixels'
  /** Too many are waiting. */
  | 'busy'

/** What became of a picture. */
export type ImageOutcome =
  | { readonly kind: 'image'; readonly image: EncodedImage }
  | { readonly kind: 'fault'; readonly fault: ImageFault }

/** A format that pictures are read in. */
export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'gif' | 'avif'

/**
 * The format of a file by how it begins; `undefined` for everything else. SVG is none: it is a document that may hold
 * scripts and references.
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
