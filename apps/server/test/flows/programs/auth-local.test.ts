import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalService, startLocalService } from '../../support/worlds/local-service.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
type Body = any

let service: LocalService

beforeAll(async () => {
  service = await startLocalService()
}, 120_000)
afterAll(() => service?.stop())

test('the demo merchant logs in to the service as it runs, and finds its requests in the log', async () => {
  const { baseUrl, merchant, subscriptionKey } = service
  const origin = new URL(baseUrl).origin
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { 'content-type': 'application/json', origin, ...init.headers }
    const answer = await fetch(baseUrl + path, { ...init, headers })
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Body }
  }
  const post = (path: string, body: unknown, headers = {}) =>
    call(path, { method: 'POST', body: JSON.stringify(body), headers })

  const { typedData } = (await post('/api/auth/challenge', { address: merchant.address })).body
  const signature = await privateKeyToAccount(merchant.privateKey).signTypedData(typedData)
  const { nonce } = typedData.message
  const login = await post('/api/auth/login', { address: merchant.address, signature, nonce })
  expect([login.status, login.body.role]).toEqual([200, 'owner'])
  const setCookie = login.headers.get('set-cookie') ?? ''
  expect(setCookie).not.toContain('Secure')
  const session = { cookie: setCookie.split(';', 1)[0] ?? '', 'x-csrf-token': login.body.csrfToken }

  const made = await post('/api/subscriptions', { name: 'From the web app' }, session)
  expect([made.status, made.body.subscription.mode]).toEqual([201, 'test'])
  const key = { 'ocp-apim-subscription-key': made.body.primaryKey }
  const list = await call('/api/receipts', { headers: key })
  expect(list.status).toBe(200)
  expect(Number(list.headers.get('x-ratelimit-remaining'))).toBeLessThan(300)

  const find = () => call(`/api/requests?key=${made.body.subscription.id}`, { headers: session })
  await expect.poll(async () => (await find()).body.requests.length, { timeout: 10_000 }).toBe(1)
  expect((await find()).body.requests[0]).toMatchObject({
    method: 'GET',
    route: '/api/receipts',
    status: 200,
  })
  expect(
    (await call('/api/receipts', { headers: { 'ocp-apim-subscription-key': subscriptionKey } })).status,
  ).toBe(200)
})
