import { expect, test } from 'vitest'
import { expectApiError } from '../../support/api/contract.ts'
import { logIn, logInAs } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startApi)
const merchant = perFile(() => api.addMerchant())
const session = perFile(() => logIn(api, merchant))
const ask = (slug: string, by = session) => api.call('GET', `/api/shop/slugs/${slug}`, { session: by })

test('says whether a slug is free, yours, taken, reserved or none, and takes nothing', async () => {
  const other = await logIn(api, await api.addMerchant())
  await api.call('POST', '/api/shop/config', { session: other, body: { slug: 'blue-door' } })
  await api.call('POST', '/api/shop/config', { session, body: { slug: 'red-door' } })
  const states = {
    'blue-door': 'taken',
    'red-door': 'yours',
    'green-door': 'free',
    checkout: 'reserved',
    'No!': 'invalid',
  }
  for (const [slug, state] of Object.entries(states)) expect((await ask(slug)).body).toEqual({ slug, state })
  expect((await ask('green-door', other)).body.state).toBe('free')
})

test('tells owners and admins alone', async () => {
  expect((await ask('green-door', await logInAs(api, merchant.wallet, 'admin'))).status).toBe(200)
  expectApiError(await ask('green-door', await logInAs(api, merchant.wallet, 'viewer')), 403, 'forbidden')
  expectApiError(await api.call('GET', '/api/shop/slugs/green-door', { key: merchant.key }), 403, 'forbidden')
})
