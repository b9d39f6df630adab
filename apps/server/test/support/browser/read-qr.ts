import { inflateSync } from 'node:zlib'
import jsqr from 'jsqr'
import type { Locator } from 'playwright-core'

/** The text of the QR code that an element shows, read from its picture as a phone would. */
export async function readQr(element: Locator): Promise<string | undefined> {
  const { pixels, width, height } = decodePng(await element.screenshot())
  const decode = jsqr as unknown as (
    data: Uint8ClampedArray,
    width: number,
    height: number,
  ) => { data: string } | null
  return decode(pixels, width, height)?.data
}

/** RGBA of a PNG as the browser writes it: 8 bits a channel, RGB or RGBA, not interlaced. */
function decodePng(png: Buffer): { pixels: Uint8ClampedArray; width: number; height: number } {
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  const channels = png[25] === 6 ? 4 : 3
  const chunks: Buffer[] = []
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      chunks.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  }
  const raw = inflateSync(Buffer.concat(chunks))
  const stride = width * channels
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255)
  let above = new Uint8Array(stride)
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1)
    const row = new Uint8Array(raw.subarray(start + 1, start + 1 + stride))
    unfilter(raw[start] ?? 0, row, above, channels)
    for (let x = 0; x < width; x++)
      for (let c = 0; c < channels; c++) pixels[(y * width + x) * 4 + c] = row[x * channels + c] ?? 0
    above = row
  }
  return { pixels, width, height }
}

function unfilter(type: number, row: Uint8Array, above: Uint8Array, channels: number): void {
  for (let i = 0; i < row.length; i++) {
    const left = row[i - channels] ?? 0
    const up = above[i] ?? 0
    const corner = i < channels ? 0 : (above[i - channels] ?? 0)
    const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][type] ?? 0
    row[i] = (row[i] ?? 0) + predicted
  }
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner
  const distances = [left, up, corner].map((value) => Math.abs(estimate - value))
  const least = Math.min(...distances)
  return [left, up, corner][distances.indexOf(least)] ?? 0
}
