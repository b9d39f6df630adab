import { afterEach, expect, test } from 'vitest'
import { until } from '../../../src/platform/process/process.ts'
import { startMerchantApi } from '../../support/api/merchant-api.ts'
import { logInAs } from '../../support/api/sessions.ts'
import { startDegradedService } from '../../support/kill/degraded-api.ts'
import { perCase } from '../../support/per-file.ts'

const context = perCase(startMerchantApi)
const open = new Set<AbortController>()
afterEach(() => {
  for (const controller of open) controller.abort()
  open.clear()
})

async function follow(headers: Record<string, string>, query = '', url = context.url) {
  const controller = new AbortController()
  open.add(controller)
  const response = await fetch(`${url}/api/events/stream${query}`, { headers, signal: controller.signal })
  const heard = { text: '', isOver: false }
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? [])
      heard.text += decoder.decode(bytes as Uint8Array, { stream: true })
  })()
  reading
    .catch(() => {})
    .finally(() => {
      heard.isOver = true
    })
  return {
    response,
    heard,
    leave: () => controller.abort(),
    ids: () => [...heard.text.matchAll(/^id: (\d+)\nevent: receipt/gm)].map(([, id]) => Number(id)),
    async hears(what: RegExp | (() => boolean)) {
      const isHeard = () => (typeof what === 'function' ? what() : what.test(heard.text))
      const came = await until(async () => {
        await context.clock.advance(1_000)
        return isHeard()
      }, 20_000)
      expect(came, heard.text.slice(-500)).toBe(true)
    },
  }
}

const byKey = () => ({ 'x-api-key': context.merchant.key })

async function pay(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await context.takeForPaid(await context.newReceipt())
}

test('events come in order as they happen, and a client that was away goes on where it was', async () => {
  await pay(2)
  const stream = await follow(byKey())
  expect(stream.response.status).toBe(200)
  expect(Object.fromEntries(stream.response.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  })
  await stream.hears(/id: 2\nevent: ready/)
  await pay(2)
  await stream.hears(() => stream.ids().length === 2)
  expect(stream.ids()).toEqual([3, 4])
  stream.leave()
  await pay(1)
  const again = await follow({ ...byKey(), 'last-event-id': '4' })
  await again.hears(/id: 5/)
  expect(again.ids()).toEqual([5])
  const all = await follow(byKey(), '?lastEventId=0')
  await all.hears(() => all.ids().length === 5)
  const first = /^data: (\{"number":1,.*)$/m.exec(all.heard.text)?.[1] ?? ''
  expect(JSON.parse(first)).toEqual((await context.get('/api/events?limit=1')).body.events[0])
})

test('another merchant hears nothing of them', async () => {
  const stranger = await context.addMerchant()
  const stream = await follow({ 'x-api-key': stranger.key }, '?lastEventId=0')
  await pay(1)
  const own = await follow(byKey(), '?lastEventId=0')
  await own.hears(/id: 1/)
  await stream.hears(/: beat/)
  expect(stream.ids()).toEqual([])
})

test('the stream of a revoked key, and that of a session that was ended, end at once', async () => {
  const session = await logInAs(context, context.merchant.wallet, 'viewer')
  const [keyed, logged] = [await follow(byKey()), await follow({ cookie: session.cookie })]
  await keyed.hears(/ready/)
  await logged.hears(/ready/)
  await context.call('POST', '/api/auth/logout', { session, body: {} })
  const path = `/api/subscriptions/${context.merchant.subscriptionId}`
  const revoked = await context.call('DELETE', path, { session: await context.logInOwner() })
  expect(revoked.status, revoked.text).toBe(200)
  const revokedAt = context.clock.now()
  await keyed.hears(() => keyed.heard.isOver)
  await logged.hears(() => logged.heard.isOver)
  expect(context.clock.now() - revokedAt).toBeLessThanOrEqual(4_000)
  for (const { heard } of [keyed, logged])
    expect(heard.text).toContain('event: end\ndata: {"reason":"unauthorized"}')
})

test('a merchant has so many streams and no more, and gets them back', async () => {
  const streams = []
  for (let i = 0; i < 20; i++) streams.push(await follow(byKey()))
  expect(streams.every(({ response }) => response.status === 200)).toBe(true)
  expect((await follow(byKey())).response.status).toBe(429)
  streams[0]?.leave()
  expect(
    await until(async () => {
      const { response, leave } = await follow(byKey())
      leave()
      return response.status === 200
    }, 10_000),
  ).toBe(true)
})

test('what is no number of an event is refused', async () => {
  for (const query of ['?lastEventId=-1', '?lastEventId=1e3', '?lastEventId=', '?after=1'])
    expect((await follow(byKey(), query)).response.status, query).toBe(400)
  expect((await follow({ ...byKey(), 'last-event-id': 'x' })).response.status).toBe(400)
  expect((await follow({})).response.status).toBe(401)
})

test('a service that stops ends its streams', async () => {
  const { key } = context.merchant
  const stream = await follow({ 'x-api-key': key })
  await stream.hears(/ready/)
  const closing = context.app.close()
  expect(await until(async () => stream.heard.isOver, 5_000)).toBe(true)
  await closing
})

test('without the datastore a stream says so, and goes on when it is back', async () => {
  const degraded = await startDegradedService({ beside: context })
  try {
    const stream = await follow(byKey(), '', degraded.url)
    await stream.hears(/ready/)
    degraded.datastore.isAway = true
    await stream.hears(/event: degraded\ndata: \{"degraded":true,"reason":"datastore_unavailable"\}/)
    degraded.datastore.isAway = false
    await stream.hears(/event: recovered/)
    await pay(1)
    await stream.hears(/id: 1\nevent: receipt/)
    stream.leave()
  } finally {
    await degraded.stop()
  }
})
