import type { Wallet } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import { type CallOptions, callApi } from '../../support/api/call-api.ts'
import { cookieOf, signChallenge } from '../../support/api/sessions.ts'
import { perFile } from '../../support/per-file.ts'
import { startLocalService } from '../../support/service/local-service.ts'

const service = perFile(startLocalService)

test('the demo merchant logs in to the service as it runs, and finds its requests in the log', async () => {
  const { baseUrl, merchant, subscriptionKey } = service
  const { origin } = new URL(baseUrl)
  const call = (method: string, path: string, { headers, ...more }: CallOptions = {}) =>
    callApi(baseUrl, method, path, { headers: { origin, ...headers }, ...more })

  const { address, privateKey } = merchant
  const body = await signChallenge({ call }, { wallet: address as Wallet, privateKey })
  const login = await call('POST', '/api/auth/login', { body })
  expect([login.status, login.body.role]).toEqual([200, 'owner'])
  expect(login.headers.get('set-cookie') ?? '').not.toContain('Secure')
  const headers = { cookie: cookieOf(login), 'x-csrf-token': login.body.csrfToken }

  const made = await call('POST', '/api/subscriptions', { body: { name: 'From the web app' }, headers })
  expect([made.status, made.body.subscription.mode]).toEqual([201, 'test'])
  const list = await call('GET', '/api/receipts', { key: made.body.primaryKey })
  expect(list.status).toBe(200)
  expect(Number(list.headers.get('x-ratelimit-remaining'))).toBeLessThan(300)

  const find = () => call('GET', `/api/requests?key=${made.body.subscription.id}`, { headers })
  await expect.poll(async () => (await find()).body.requests.length).toBe(1)
  const logged = { method: 'GET', route: '/api/receipts', status: 200 }
  expect((await find()).body.requests[0]).toMatchObject(logged)
  expect((await call('GET', '/api/receipts', { key: subscriptionKey })).status).toBe(200)
})
