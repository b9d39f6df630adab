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
