import { crc32, deflateSync } from 'node:zlib'
import { html, type SafeHtml } from '@remix-run/html-template'
import { encode } from 'uqr'

export type QrImage = { readonly type: string; readonly body: Buffer }

const border = 4
const pixelsPerModule = 20

export function qrImage(text: string, format: 'svg' | 'png'): QrImage {
  const { data, size } = encode(text, { ecc: 'M', border })
  if (format === 'png') return { type: 'image/png', body: pngOf(data, size) }
  const side = size * pixelsPerModule
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${side}" height="${side}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${qrPath(data)}"/></svg>`
  return { type: 'image/svg+xml', body: Buffer.from(svg) }
}

function pngOf(rows: readonly (readonly boolean[])[], size: number): Buffer {
  const side = size * pixelsPerModule
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header[8] = 1
  const lines = rows.flatMap((row) => {
    const line = lineOf(row, side)
    return Array.from({ length: pixelsPerModule }, () => line)
  })
  const parts = [
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(lines), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat(parts)
}

/** Encodes one PNG scanline: filter byte 0, then one bit per pixel, 1 for white. */
function lineOf(row: readonly boolean[], side: number): Buffer {
  const line = Buffer.alloc(1 + Math.ceil(side / 8))
  for (let x = 0; x < side; x++) {
    if (row[Math.floor(x / pixelsPerModule)]) continue
    const at = 1 + (x >> 3)
    line[at] = (line[at] ?? 0) | (0x80 >> (x & 7))
  }
  return line
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.byteLength)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

/** Renders a QR code as SVG, dark on white in every color scheme, with the standard's quiet zone. */
export function qrSvg(text: string, label: string): SafeHtml {
  const { data, size } = encode(text, { ecc: 'M', border: 4 })
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${qrPath(data)}"/></svg>`
}

function qrPath(rows: readonly (readonly boolean[])[]): string {
  let path = ''
  for (const [y, row] of rows.entries()) {
    for (let x = 0; x < row.length; x++) {
      const start = x
      while (row[x]) x++
      if (x > start) path += `M${start} ${y}h${x - start}v1h${start - x}z`
    }
  }
  return path
}
