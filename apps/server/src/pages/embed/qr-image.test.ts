import sharp from 'sharp'
import { expect, test } from 'vitest'
import { readQrImage } from '../../../test/support/browser/read-qr.ts'
import { qrImage } from './qr-image.ts'

const url =
  'https://pay.example.com/pay/R-01JD8C2Q6V9WZ4N7T3X5Y0ABCD?recipient=0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

test.each([
  'svg',
  'png',
] as const)('a code as %s is read as what it says, and is sharp when it is printed', async (format) => {
  const { type, body } = qrImage(url, format)
  expect(type).toBe(format === 'svg' ? 'image/svg+xml' : 'image/png')
  const { data, info } = await sharp(body).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  expect(info.width).toBeGreaterThanOrEqual(600)
  expect(info.width).toBe(info.height)
  expect(await readQrImage(body)).toBe(url)
  const [first, white] = [data.subarray(0, 3), Buffer.alloc(3, 255)]
  expect(first).toEqual(white)
})

test('a code as PNG is small', () => {
  expect(qrImage(url, 'png').body.byteLength).toBeLessThan(4_000)
})
