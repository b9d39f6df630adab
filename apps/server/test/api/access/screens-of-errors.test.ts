import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startApi)
const merchant = perFile(() => api.addMerchant())

const sections = readFileSync(
  new URL('../../../../dashboard/src/shell/sections.ts', import.meta.url),
  'utf8',
).matchAll(/to: '(\/[a-z]+)'/g)
const screens = new Set([...sections].map(([, to]) => `/app${to}`))

/** Endpoints that validate the body before they authenticate the caller. */
const evaluatedLater = new Set(['POST /api/auth/login', 'POST /api/receipts/status'])
/**
 * The list of endpoints that the web app calls and that require a session. `npm run check` keeps it up to
 * date.
 */
const document = new URL('../../../../../docs/reference/dashboard-coverage.md', import.meta.url)
const rows = readFileSync(document, 'utf8').matchAll(/^\| `([A-Z]+ [^`]+)`/gm)
const endpoints = [...rows].flatMap(([, name = '']) => (evaluatedLater.has(name) ? [] : [name]))

test.each(endpoints)('a key at %s is told which screen of the web app does it', async (name) => {
  const [method = '', path = ''] = name.split(' ')
  const target = path.replace('{slot}', 'primary').replace(/\{\w+\}/g, '1')
  const body = method === 'GET' ? undefined : {}
  const response = await api.call(method, target, { key: merchant.key, body })
  expect(response.status).toBe(403)
  const screen = / at (\/app\/[a-z]+)(\/[a-z]+)? \(JWT/.exec(response.body.message)?.[1] ?? ''
  expect(screens).toContain(screen)
})

test('a key that reports a sensitive status is told the screen too', async () => {
  const body = { receiptId: 'any', wallet: merchant.wallet, status: 'refunded' }
  const response = await api.call('POST', '/api/receipts/status', { key: merchant.key, body })
  expect([response.status, response.body.message]).toEqual([403, expect.stringContaining('/app/receipts')])
})
