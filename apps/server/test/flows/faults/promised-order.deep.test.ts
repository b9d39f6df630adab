import { expect, test } from 'vitest'
import { appendAudit } from '../../../src/access/audit/append-audit.ts'
import { changeShop } from '../../../src/shop/change-shop.ts'
import { logIn } from '../../support/api/sessions.ts'
import type { TestApi } from '../../support/api/start-api.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { perFile } from '../../support/per-file.ts'
import { applyJournal, startTakeableApi } from './takeable-api.ts'

const database = perFile(makeTestDatabase)

test('a newer change that another replica acknowledged stands, and what it left alone is changed', async () => {
  const { api: one, datastore } = await startTakeableApi(database)
  const { api: two } = await startTakeableApi(database)
  const merchant = await one.addMerchant()
  const session = await logIn(one, merchant)
  const change = (api: TestApi, body: object) => api.call('POST', '/api/shop/config', { session, body })
  const began = one.clock.now()
  const at = (seconds: number) => {
    for (const { clock } of [one, two]) clock.jumpTo(began + 1_000 * seconds)
  }
  await change(one, { name: 'Before', bio: 'before', description: 'before' })
  at(10)
  datastore.isAway = true
  for (const bio of ['first', 'second'])
    expect((await change(one, { name: 'Older', bio })).body.degraded).toBe(true)
  datastore.isAway = false
  at(20)
  const newer = await change(two, { name: 'Newer', description: 'newer' })
  expect([newer.status, newer.body.degraded]).toEqual([200, undefined])
  at(60)
  await applyJournal(one)
  const look = await two.call('GET', '/api/shop/config', { key: merchant.key })
  expect(look.body.config).toMatchObject({
    ...{ name: 'Newer', bio: 'second', description: 'newer' },
    updatedAt: began + 20_000,
  })
  const superseded = one.logged.filter(({ msg }) =>
    String(msg).includes('without the fields that were changed later'),
  )
  expect(superseded.map(({ left }) => left)).toEqual([['name'], ['name']])
  const { entries } = (await one.call('GET', '/api/audit?action=shop.changed', { session })).body
  expect(entries[0].details).toEqual({ fields: ['bio'], acceptedAt: began + 10_000, superseded: ['name'] })
})

test('of what two replicas have accepted, the later stands, whichever is done first', async () => {
  const { api: one, datastore: first } = await startTakeableApi(database)
  const { api: two, datastore: second } = await startTakeableApi(database)
  const merchant = await one.addMerchant()
  const session = await logIn(one, merchant)
  const change = (api: TestApi, body: object) => api.call('POST', '/api/shop/config', { session, body })
  for (const api of [one, two]) await change(api, { name: 'Before' })
  first.isAway = second.isAway = true
  await change(one, { name: 'Earlier' })
  for (const { clock } of [one, two]) clock.jumpTo(clock.now() + 10_000)
  await change(two, { name: 'Later' })
  first.isAway = second.isAway = false
  await applyJournal(two)
  await applyJournal(one)
  const look = await two.call('GET', '/api/shop/config', { key: merchant.key })
  expect(look.body.config.name).toBe('Later')
})

test('clocks that differ by less than a second, or were wrong by a day, leave no accepted change undone', async () => {
  const { api: one, datastore } = await startTakeableApi(database)
  const { api: two } = await startTakeableApi(database)
  const merchant = await one.addMerchant()
  const session = await logIn(one, merchant)
  const change = (api: TestApi, body: object) => api.call('POST', '/api/shop/config', { session, body })
  await change(one, { name: 'First' })
  for (const aheadMs of [900, 86_400_000]) {
    two.clock.jumpTo(one.clock.now() + aheadMs)
    await changeShop(two.needs, merchant.wallet, { name: 'Ahead' }, (tx) =>
      appendAudit(
        { tx, secrets: two.needs.secrets },
        {
          ...{
            merchant: merchant.wallet,
            at: two.clock.now(),
            actor: merchant.wallet,
            action: 'shop.changed',
          },
          ...{ subject: merchant.wallet, details: { fields: ['name'] } },
        },
      ),
    )
    datastore.isAway = true
    expect((await change(one, { name: 'Accepted after' })).body.degraded).toBe(true)
    datastore.isAway = false
    await applyJournal(one)
    const look = await one.call('GET', '/api/shop/config', { key: merchant.key })
    expect(look.body.config.name).toBe('Accepted after')
  }
})
