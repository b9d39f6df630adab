import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { makeTemporaryFolder } from '../../test/support/programs/temporary-folder.ts'
import { ImageFiles, type KeptImage } from './image-files.ts'

const log = pino({ level: 'silent' })

async function makeFolder(): Promise<string> {
  const folder = await makeTemporaryFolder('images')
  onTestFinished(() => folder.remove())
  return join(folder.path, 'images')
}

function keptImage(size: number, fill = 1): KeptImage {
  const variants = [96, 192].map((width) => ({ width, body: Buffer.alloc(size, fill) }))
  return { fetchedAt: 1_700_000_000_000 as UnixMs, image: { type: 'image/webp', variants } }
}

const nameOf = (n: number) => n.toString(16).padStart(64, '0')

test('what was kept is there after a start', async () => {
  const folder = await makeFolder()
  const files = await ImageFiles.open({ log }, folder, 1_000_000)
  await files.write(nameOf(1), keptImage(100))
  const again = await ImageFiles.open({ log }, folder, 1_000_000)
  expect(await again.read(nameOf(1))).toEqual(keptImage(100))
  expect(again.bytes).toBe(files.bytes)
})

test('the oldest go where all together come to more than they may', async () => {
  const folder = await makeFolder()
  const files = await ImageFiles.open({ log }, folder, 25_000)
  for (let i = 0; i < 20; i++) await files.write(nameOf(i), keptImage(1_000))
  expect(files.bytes).toBeLessThanOrEqual(25_000)
  expect(await files.read(nameOf(0))).toBeUndefined()
  expect(await files.read(nameOf(19))).toBeDefined()
  const smaller = await ImageFiles.open({ log }, folder, 5_000)
  expect(smaller.bytes).toBeLessThanOrEqual(5_000)
})

test.each([
  ['cut off', (content: Buffer) => content.subarray(0, -10)],
  ['changed', (content: Buffer) => Buffer.concat([content.subarray(0, -1), Buffer.from('x')])],
  ['emptied', () => Buffer.alloc(0)],
  ['without a head', (content: Buffer) => content.subarray(20)],
])('a file that was %s is none, and is removed', async (_, damage) => {
  const folder = await makeFolder()
  const files = await ImageFiles.open({ log }, folder, 1_000_000)
  await files.write(nameOf(1), keptImage(100))
  const path = join(folder, nameOf(1))
  await writeFile(path, damage(await readFile(path)))
  expect(await files.read(nameOf(1))).toBeUndefined()
  expect(await readdir(folder)).toEqual([])
  expect(files.bytes).toBe(0)
})

test('a folder that cannot be written to is done without', async () => {
  const folder = await makeFolder()
  await writeFile(folder, 'a file in its place')
  const files = await ImageFiles.open({ log }, folder, 1_000_000)
  await files.write(nameOf(1), keptImage(100))
  expect(await files.read(nameOf(1))).toBeUndefined()
})
