import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { TestClock } from '../../../test/support/test-clock.ts'
import { LiveCheckouts, liveLimits } from './live-checkouts.ts'

test('a page that is gone before its stream begins is not read for', async () => {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>()
  const server = createServer((_request, response) => resolve(response))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const response = await promise
  const gone = new Promise((closed) => response.once('close', closed))
  socket.destroy()
  await gone

  const live = new LiveCheckouts({ clock: new TestClock(), log: pino({ level: 'silent' }) })
  let readCount = 0
  live.listen({ key: 'key', address: 'here' }, response, async () => {
    readCount++
    return { version: '1', panel: 'pay', confirmations: 0, requiredConfirmations: 1 }
  })
  expect(readCount).toBe(0)
  live.close()
  server.close()
})

/** A page as far as the server sees it: what it was told, and how it goes. */
function openPage() {
  const told: string[] = []
  let close = () => {}
  const page = { destroyed: false, writableLength: 0, write: (text: string) => told.push(text), end() {} }
  const response = Object.assign(page, {
    once(_event: string, then: () => void) {
      close = then
    },
    destroy: () => close(),
  })
  return { told, response: response as unknown as ServerResponse, page, close: () => close() }
}

const status = { version: '1', panel: 'pay', confirmations: 0, requiredConfirmations: 1 } as const

test('however many pages are open, two reads are under way and fifty begin in a second', async () => {
  const clock = new TestClock()
  const live = new LiveCheckouts({ clock, log: pino({ level: 'silent' }) })
  let [running, most, count] = [0, 0, 0]
  const read = async () => {
    most = Math.max(most, ++running)
    count++
    await Promise.resolve()
    running--
    return status
  }
  const pages = Array.from({ length: 1_000 }, openPage)
  for (const [i, { response }] of pages.entries())
    live.listen({ key: `receipt ${i}`, address: `${i % 100}` }, response, read)
  await clock.advance(0)
  while (count < 1_000) await clock.advance(0)
  expect(pages.every(({ told }) => told.length === 1)).toBe(true)
  await clock.advance(60_000)
  expect(most).toBe(2)
  expect(count - 1_000).toBeLessThanOrEqual(60 * 50 + 1_000)
  expect(count).toBeGreaterThan(2_000)
  live.close()
})

test('a page that reads nothing is cut off', async () => {
  const clock = new TestClock()
  const live = new LiveCheckouts({ clock, log: pino({ level: 'silent' }) })
  const { response, page } = openPage()
  let version = 0
  live.listen({ key: 'a', address: 'here' }, response, async () => ({ ...status, version: `${++version}` }))
  await clock.advance(2_000)
  page.writableLength = 1_000_000
  await clock.advance(1_000)
  const readBefore = version
  await clock.advance(10_000)
  expect(version).toBe(readBefore)
})

test('an address has its share of live pages, and gets it back', () => {
  const live = new LiveCheckouts({ clock: new TestClock(), log: pino({ level: 'silent' }) })
  const pages = Array.from({ length: liveLimits.perAddress }, openPage)
  for (const { response } of pages) live.listen({ key: 'a', address: 'one' }, response, async () => status)
  expect([live.hasRoom('one'), live.hasRoom('two')]).toEqual([false, true])
  pages[0]?.close()
  expect(live.hasRoom('one')).toBe(true)
  live.close()
})

test('every page hears at least every two seconds that the service is there, however many there are', async () => {
  const clock = new TestClock()
  const live = new LiveCheckouts({ clock, log: pino({ level: 'silent' }) })
  const pages = Array.from({ length: 500 }, openPage)
  for (const [i, { response }] of pages.entries())
    live.listen({ key: `receipt ${i}`, address: `${i}` }, response, async () => status)
  await clock.advance(20_000)
  const beats = (told: readonly string[]) => told.filter((text) => text.startsWith('event: beat\n')).length
  expect(pages.map(({ told }) => beats(told))).toEqual(pages.map(() => 10))
  for (const { close } of pages) close()
  await clock.advance(20_000)
  expect(pages.every(({ told }) => beats(told) === 10)).toBe(true)
  const { told, response } = openPage()
  live.listen({ key: 'later', address: 'here' }, response, async () => status)
  await clock.advance(4_000)
  expect(beats(told)).toBe(2)
  live.close()
})
