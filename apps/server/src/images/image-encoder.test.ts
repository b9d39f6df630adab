import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterEach, describe, expect, test } from 'vitest'
import { lyingPng, plainPicture, pngWithBulkyText } from '../../test/support/pictures.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { systemClock } from '../kernel/clock.ts'
import { findProcesses } from '../platform/process/process.ts'
import { type ImageKind, type ImageOutcome, imageLimits } from './image.ts'
import { ImageEncoder } from './image-encoder.ts'

const open: ImageEncoder[] = []
function openEncoder(clock = systemClock): ImageEncoder {
  const made = new ImageEncoder({ clock })
  open.push(made)
  return made
}
afterEach(() => {
  for (const each of open.splice(0)) each.close()
})

async function sizesOf(outcome: ImageOutcome): Promise<(string | undefined)[]> {
  if (outcome.kind === 'error') return [outcome.error]
  return Promise.all(
    outcome.image.variants.map(async ({ body }) => {
      const { format, width, height } = await sharp(body).metadata()
      return `${format} ${width}x${height}`
    }),
  )
}

describe('a picture', () => {
  test.each([
    'png',
    'jpeg',
    'webp',
    'gif',
    'avif',
  ] as const)('sent as %s becomes WebP in the widths of its kind', async (format) => {
    const bytes = await plainPicture(400, 200).toFormat(format).toBuffer()
    expect(await sizesOf(await openEncoder().encode(bytes, 'logo'))).toEqual(['webp 96x48', 'webp 192x96'])
  })

  test.each<[ImageKind, number, number, string[]]>([
    ['icon', 300, 300, ['png 64x64']],
    ['logo', 40, 20, ['webp 40x20', 'webp 40x20']],
    ['cover', 4096, 2048, ['webp 800x400', 'webp 1600x800']],
    ['product', 1000, 4000, ['webp 100x400', 'webp 200x800']],
  ])('of the kind %s and of %s x %s becomes %j', async (kind, width, height, expected) => {
    const bytes = await plainPicture(width, height).png().toBuffer()
    expect(await sizesOf(await openEncoder().encode(bytes, kind))).toEqual(expected)
  })

  test('loses what else its file says: place, comment, profile', async () => {
    const bytes = await plainPicture(64, 64)
      .withExif({ IFD0: { Copyright: 'secret place' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
      .jpeg()
      .toBuffer()
    expect(bytes.includes('secret place')).toBe(true)
    const outcome = await openEncoder().encode(bytes, 'logo')
    if (outcome.kind === 'error') throw new Error(outcome.error)
    for (const { body } of outcome.image.variants) {
      expect(body.includes('secret')).toBe(false)
      expect((await sharp(body).metadata()).exif).toBeUndefined()
    }
  })

  test('keeps what can be seen through', async () => {
    const clear = sharp({ create: { width: 100, height: 100, channels: 4, background: '#ff000000' } })
    const outcome = await openEncoder().encode(await clear.png().toBuffer(), 'logo')
    if (outcome.kind === 'error') throw new Error(outcome.error)
    expect((await sharp(outcome.image.variants[0]?.body).metadata()).hasAlpha).toBe(true)
  })
})

describe('a hostile file', () => {
  test.each([
    [65_535, 65_535],
    [4_097, 1],
    [1, 4_097],
    [4_096, 4_096],
    [2_147_483_647, 2_147_483_647],
  ])('that says it has %s x %s pixels is refused before it is decoded', async (width, height) => {
    const error = await sizesOf(await openEncoder().encode(lyingPng(width, height), 'logo'))
    expect(error).toEqual([width < 1_000_000 ? 'too-many-pixels' : 'not-an-image'])
  })

  test('as large as is allowed is taken, however small it was packed', async () => {
    const bytes = await plainPicture(4000, 3000).png().toBuffer()
    expect(bytes.byteLength).toBeLessThan(300_000)
    expect(await sizesOf(await openEncoder().encode(bytes, 'logo'))).toEqual(['webp 96x72', 'webp 192x144'])
  })

  test('with a text of a hundred megabytes packed into it takes no such memory', async () => {
    const outcome = await openEncoder().encode(await pngWithBulkyText(100_000_000), 'logo')
    expect(['image', 'error']).toContain(outcome.kind)
  })

  test('of five hundred frames is its first frame', async () => {
    const frames = Array.from({ length: 500 }, (_, i) => ({
      create: { width: 64, height: 64, channels: 3 as const, background: { r: i % 256, g: 0, b: 0 } },
    }))
    const bytes = await sharp(frames as never, { join: { animated: true } })
      .gif()
      .toBuffer()
    expect(await sizesOf(await openEncoder().encode(bytes, 'logo'))).toEqual(['webp 64x64', 'webp 64x64'])
  })

  test('that is cut off is none', async () => {
    const bytes = await plainPicture(600, 600).jpeg().toBuffer()
    const outcome = await openEncoder().encode(bytes.subarray(0, bytes.byteLength / 2), 'logo')
    expect(outcome).toEqual({ kind: 'error', error: 'not-an-image' })
  })

  test.each([
    [
      'an SVG',
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
    ],
    ['a PDF', '%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>'],
    ['a TIFF', 'II*\0\x08\0\0\0'],
    ['a text', 'hello'],
    ['an AVIF in name only', '\0\0\0\x20ftypavif\0\0\0\0avifmif1miaf'],
    ['a PNG in name only', '\x89PNG\r\n\x1a\n'],
    ['nothing', ''],
  ])('that is %s is none, even if it gets as far as the decoder', async (_, text) => {
    const outcome = await openEncoder().encode(Buffer.from(text, 'latin1'), 'logo')
    expect(outcome).toEqual({ kind: 'error', error: 'not-an-image' })
  })
})

describe('the process that decodes', () => {
  const childrenOf = () =>
    findProcesses(({ args }) => args.some((arg) => arg.endsWith('/images/encode-child.ts'))).filter(
      ({ pid }) => parentOf(pid) === process.pid,
    )

  test('knows nothing of our settings, and ends when it has nothing to do', async () => {
    const clock = new TestClock()
    const before = new Set(childrenOf().map(({ pid }) => pid))
    const encoder = openEncoder(clock)
    await encoder.encode(await plainPicture(8, 8).png().toBuffer(), 'logo')
    const own = childrenOf().filter(({ pid }) => !before.has(pid))
    expect(own).toHaveLength(1)
    await clock.advance(60_000)
    await expect.poll(() => childrenOf().filter(({ pid }) => !before.has(pid))).toEqual([])
  })

  test('is ended over a picture that takes too long, and the next picture has a new one', async () => {
    const clock = new TestClock()
    const encoder = openEncoder(clock)
    const bytes = await plainPicture(4000, 3000).png().toBuffer()
    const slow = encoder.encode(bytes, 'cover')
    await clock.advance(imageLimits.encodeMs)
    expect(await slow).toEqual({ kind: 'error', error: 'not-an-image' })
    const small = await plainPicture(8, 8).png().toBuffer()
    expect((await encoder.encode(small, 'logo')).kind).toBe('image')
  })
})

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return undefined
  }
}
