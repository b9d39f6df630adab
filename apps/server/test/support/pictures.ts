import { crc32, deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'

export function plainPicture(width: number, height: number, colour = '#0b5d66'): Sharp {
  return sharp({ create: { width, height, channels: 3, background: colour } })
}

/** Returns a tiny PNG whose header claims this many pixels. */
export function lyingPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(100))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Returns a PNG with a text chunk that decompresses to this many bytes. */
export async function pngWithBulkyText(bytes: number): Promise<Buffer> {
  const png = await plainPicture(8, 8).png().toBuffer()
  const text = Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), deflateSync(Buffer.alloc(bytes, 'a'))])
  const afterHeader = 8 + 25
  return Buffer.concat([png.subarray(0, afterHeader), chunk('zTXt', text), png.subarray(afterHeader)])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.byteLength)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
