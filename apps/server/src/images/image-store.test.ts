import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { lyingPng, plainPicture } from '../../test/support/pictures.ts'
import { makeTemporaryFolder } from '../../test/support/programs/temporary-folder.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import type { Outbound, OutboundOutcome, OutboundRequest } from '../platform/outbound/outbound.ts'
import { ImageEncoder } from './image-encoder.ts'
import { ImageFiles } from './image-files.ts'
import { ImageStore } from './image-store.ts'

const log = pino({ level: 'silent' })
const dayMs = 24 * 60 * 60_000
const unreachable: OutboundOutcome = { kind: 'error', error: 'network', detail: 'nobody there' }
const responseOf = (body: Uint8Array): OutboundOutcome => ({
  kind: 'response',
  status: 200,
  headers: {},
  body,
})

async function openStore(pictures: Record<string, OutboundOutcome | (() => Promise<OutboundOutcome>)> = {}) {
  const folder = await makeTemporaryFolder('images')
  onTestFinished(() => folder.remove())
  const clock = new TestClock()
  const fetched: string[] = []
  const outbound: Outbound = {
    async request({ url }: OutboundRequest) {
      fetched.push(url)
      const there = pictures[url] ?? unreachable
      return typeof there === 'function' ? there() : there
    },
  }
  const open = async () => {
    const files = await ImageFiles.open({ log }, join(folder.path, 'images'), 10_000_000)
    const store = new ImageStore({ outbound, clock, log, files, encoder: new ImageEncoder({ clock }) })
    onTestFinished(() => store.close())
    return store
  }
  return { store: await open(), reopen: open, clock, fetched, pictures }
}

const png = async () => responseOf(await plainPicture(200, 200).png().toBuffer())
const logo = { owner: 'a', url: 'https://pictures.example/logo.png', kind: 'logo' } as const

test('a picture is fetched once, for all who ask at once and for a day', async () => {
  const { store, clock, fetched } = await openStore({ [logo.url]: await png() })
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => store.find(logo)))
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['image']))
  await clock.advance(dayMs - 1)
  await store.find(logo)
  expect(fetched).toEqual([logo.url])
})

test('a picture outlives a start', async () => {
  const { store, reopen, fetched } = await openStore({ [logo.url]: await png() })
  await store.find(logo)
  expect((await (await reopen()).find(logo)).kind).toBe('image')
  expect(fetched).toHaveLength(1)
})

test('after a day it is fetched again, while the old one is shown', async () => {
  const { store, clock, fetched, pictures } = await openStore({ [logo.url]: await png() })
  const before = await store.find(logo)
  await clock.advance(dayMs)
  pictures[logo.url] = responseOf(await plainPicture(200, 200, '#ffffff').png().toBuffer())
  expect(await store.find(logo)).toEqual(before)
  await expect.poll(() => fetched.length).toBe(2)
  await expect.poll(async () => (await store.find(logo)) !== before).toBe(true)
})

test('one that can no longer be fetched is shown for a month, and then no more', async () => {
  const { store, clock, pictures } = await openStore({ [logo.url]: await png() })
  await store.find(logo)
  pictures[logo.url] = unreachable
  await clock.advance(29 * dayMs)
  expect((await store.find(logo)).kind).toBe('image')
  await clock.advance(dayMs + 120_000)
  expect(await store.find(logo)).toEqual({ kind: 'error', error: 'unreachable' })
})

test('what failed is not tried again for a while', async () => {
  const broken = { ...logo, url: 'https://pictures.example/broken.png' }
  const { store, clock, fetched, pictures } = await openStore({
    [broken.url]: responseOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
  })
  for (let i = 0; i < 10; i++) {
    expect(await store.find(logo)).toEqual({ kind: 'error', error: 'unreachable' })
    expect(await store.find(broken)).toEqual({ kind: 'error', error: 'not-an-image' })
  }
  expect(fetched).toEqual([logo.url, broken.url])
  pictures[logo.url] = await png()
  await clock.advance(60_000)
  expect((await store.find(logo)).kind).toBe('image')
  expect((await store.find(broken)).kind).toBe('error')
  expect(fetched).toHaveLength(3)
})

test('what failed, or was fetched, by a clock that was a day ahead is tried again', async () => {
  const other = { ...logo, url: 'https://pictures.example/other.png' }
  const { store, clock, fetched, pictures } = await openStore({ [other.url]: await png() })
  const right = clock.now()
  clock.jumpTo(right + dayMs)
  expect((await store.find(logo)).kind).toBe('error')
  expect((await store.find(other)).kind).toBe('image')
  clock.jumpTo(right)
  pictures[logo.url] = await png()
  expect((await store.find(logo)).kind).toBe('image')
  expect((await store.find(other)).kind).toBe('image')
  expect(fetched).toEqual([logo.url, other.url, logo.url, other.url])
})

test('a bomb is refused', async () => {
  const { store } = await openStore({ [logo.url]: responseOf(lyingPng(60_000, 60_000)) })
  expect(await store.find(logo)).toEqual({ kind: 'error', error: 'too-many-pixels' })
})

test('an owner whose pictures hang holds up nobody else', async () => {
  const hanging = new Promise<OutboundOutcome>(() => {})
  const pictures: Parameters<typeof openStore>[0] = { [logo.url]: await png() }
  for (let i = 0; i < 50; i++) pictures[`https://slow.example/${i}`] = () => hanging
  const { store, clock, fetched } = await openStore(pictures)
  const slow = Array.from({ length: 50 }, (_, i) =>
    store.find({ owner: 'slow', url: `https://slow.example/${i}`, kind: 'product' }),
  )
  expect((await store.find(logo)).kind).toBe('image')
  expect(fetched.filter((url) => url.startsWith('https://slow'))).toHaveLength(2)
  await clock.advance(10_000)
  expect(await Promise.all(slow)).toEqual(slow.map(() => ({ kind: 'error', error: 'busy' })))
})

test("one owner's configuration makes us fetch so often and no more", async () => {
  const { store, clock, fetched } = await openStore()
  const urls = Array.from({ length: 400 }, (_, i) => `https://victim.example/${i}`)
  for (const url of urls) await store.find({ owner: 'a', url, kind: 'product' })
  expect(fetched).toHaveLength(120)
  await store.find({ ...logo, owner: 'b' })
  expect(fetched).toHaveLength(121)
  await clock.advance(60_000)
  for (const url of urls) await store.find({ owner: 'a', url: `${url}x`, kind: 'product' })
  expect(fetched).toHaveLength(133)
})

test('two owners of one URL have it apart', async () => {
  const { store, fetched } = await openStore({ [logo.url]: await png() })
  await store.find(logo)
  await store.find({ ...logo, owner: 'b' })
  expect(fetched).toHaveLength(2)
})
