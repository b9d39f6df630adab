import { expect, test } from 'vitest'
import { row } from '../support/api/contract.ts'
import { receiptBody } from '../support/api/receipts.ts'
import { until } from '../support/api/webhooks.ts'
import { startDegradedService } from '../support/kill/degraded-api.ts'
import { perFile } from '../support/per-file.ts'

const service = perFile(startDegradedService)

const report = () => {
  const body = { receiptId: 'told', wallet: service.merchant, status: 'link_opened' }
  return service.call('POST', '/api/receipts/status', { key: '', body })
}
const opened = async () => (await service.countTelemetry()).get('told link_opened') ?? 0
const shopName = async () => (await service.call('GET', '/api/shop/config')).body.config?.name
const degraded = { degraded: true, reason: 'datastore_unavailable' }
async function away<T>(work: () => Promise<T>): Promise<T> {
  service.datastore.isAway = true
  return work().finally(() => {
    service.datastore.isAway = false
  })
}

row(
  'degraded.read',
  'returns the last known response, marked as degraded; requests that create receipts get 503',
  async () => {
    await service.call('POST', '/api/receipts', { body: receiptBody('told') })
    const before = await service.call('GET', '/api/receipts')
    const read = await away(() => service.call('GET', '/api/receipts'))
    expect(read.status).toBe(200)
    expect(read.body).toEqual({ ...before.body, ...degraded })
    const write = await away(() => service.call('POST', '/api/receipts', { body: receiptBody('other') }))
    expect([write.status, write.body.error]).toEqual([503, 'datastore_unavailable'])
  },
)

row('degraded.write', 'returns ok, the degraded flag, the reason and the accepted data', async () => {
  const reported = await away(report)
  expect(reported.status).toBe(200)
  expect(reported.body).toMatchObject({ ok: true, ...degraded })
  expect(reported.body.data).toMatchObject({ receiptId: 'told', status: 'link_opened' })
  const session = await service.logIn()
  const name = 'Blue Door'
  // A session is valid during an outage if it was used shortly before.
  await service.call('GET', '/api/auth/session', { session })
  const changed = await away(() => service.call('POST', '/api/shop/config', { session, body: { name } }))
  expect(changed.status).toBe(200)
  expect(changed.body).toMatchObject({ ok: true, ...degraded, data: { name } })
})

row('degraded.recovery', 'persists accepted writes once the datastore recovers', async () => {
  const before = await opened()
  await away(report)
  await until(service.clock, async () => (await opened()) > before, 'the report is counted', 100)
  await until(service.clock, async () => (await shopName()) === 'Blue Door', 'the shop has its name', 100)
})

test('a change of the shop with a slug is refused while the datastore is away, and comes after what was taken before', async () => {
  const session = await service.logIn()
  const change = (body: object) => service.call('POST', '/api/shop/config', { session, body })
  expect((await change({ name: 'Before' })).status).toBe(200)
  const taken = await away(() => change({ bio: 'taken', name: 'Taken' }))
  expect(taken.body).toMatchObject(degraded)
  for (const slug of ['a-shop', null]) {
    const { status, body } = await away(() => change({ bio: 'lost', slug }))
    expect([status, body.error]).toEqual([503, 'datastore_unavailable'])
  }
  expect((await change({ name: 'After', slug: 'a-shop' })).status).toBe(200)
  const { config } = (await service.call('GET', '/api/shop/config')).body
  expect(config).toMatchObject({ bio: 'taken', name: 'After', slug: 'a-shop' })
})
