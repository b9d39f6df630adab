import sharp from 'sharp'
import { expect, test } from 'vitest'
import { sniffImage } from './image.ts'

const picture = sharp({ create: { width: 4, height: 4, channels: 3, background: '#0b5d66' } })

test.each([
  'png',
  'jpeg',
  'webp',
  'gif',
  'avif',
] as const)('a file of the format %s is known by how it begins', async (format) => {
  expect(sniffImage(await picture.clone().toFormat(format).toBuffer())).toBe(format)
})

test.each([
  '',
  '<svg xmlns="http://www.w3.org/2000/svg"/>',
  '<?xml version="1.0"?><svg/>',
  '<!doctype html><script>alert(1)</script>',
  'RIFF____WAVE',
  'PK\x03\x04',
  '%PDF-1.7',
  'BM______',
  'II*\0',
  '\0\0\0\x20ftypheic',
  '\0\0\0\x20ftypmp42avif',
  ' \x89PNG\r\n\x1a\n',
])('what begins with %j is no picture', (text) => {
  expect(sniffImage(Buffer.from(text, 'latin1'))).toBeUndefined()
})
