import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { merchantOf } from '../../../src/access/caller.ts'
import { pruneAccess } from '../../../src/access/prune-access.ts'
import { route } from '../../../src/access/route.ts'
import { ApiError } from '../../../src/kernel/api-error.ts'
import { ensureMerchant, findMerchant } from '../../../src/merchants/merchant-store.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { makeReceipt, receiptBody } from '../../support/api/receipts.ts'
import { logIn, newWallet } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const dayMs = 24 * 60 * 60_000
const api = perFile(() =>
  startApi({
    more: (needs) => [
      route({
        method: 'POST',
        path: '/api/test/{code}',
        access: { kind: 'key-or-session', scope: 'receipts:write' },
        description: 'Makes a merchant, counts itself and then does as it is told.',
        params: Type.Object({ code: Type.String() }),
        query: Type.Object({ a: Type.Optional(Type.String()) }),
        body: Type.Object({ wallet: Type.String() }),
        responses: {},
        async handle({ caller, params: { code }, body }) {
          calls++
          merchantOf(caller)
          const made = needs.db.transaction((tx) =>
            ensureMerchant({ ...needs, db: tx }, body.wallet as never, `made by ${code}`),
          )
          const [, found] = await Promise.all([made, findMerchant(needs.db, body.wallet as never)])
          if (code === 'held') await held
          if (code === 'broken') throw new Error('a defect')
          if (code !== 'good' && code !== 'held') throw new ApiError(code as never, `refused: ${code}`)
          return { status: 201, body: { ok: true, count: calls, wasThere: found !== undefined } }
        },
      }),
    ],
  }),
)
const merchant = perFile(() => api.addMerchant())
const other = perFile(() => api.addMerchant())
let calls = 0
let release = () => {}
const held = new Promise<void>((resolve) => {
  release = resolve
})

let count = 0
const newKey = () => `key-${++count}`
const newRequest = () => ({ key: newKey(), body: { wallet: newWallet().wallet } })
const post = (path: string, body: unknown, key: string, options: object = { key: merchant.key }) =>
  api.call('POST', path, { ...options, body, headers: { 'idempotency-key': key } })
const newReceipt = () => receiptBody(`order-${++count}`)
const exists = async (wallet: string) => (await findMerchant(api.needs.db, wallet as never)) !== undefined

describe('a repeat', () => {
  test('gets the first answer byte for byte, with Idempotency-Replayed, and nothing is done twice', async () => {
    const { key, body } = newRequest()
    const first = await post('/api/test/good', body, key)
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([201, null])
    for (let i = 0; i < 3; i++) {
      const again = await post('/api/test/good', body, key)
      expect([again.status, again.text]).toEqual([first.status, first.text])
      expect(again.headers.get('idempotency-replayed')).toBe('true')
      expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    }
    expect(first.body.count).toBe(calls)
  })

  test('of a receipt answers the same also when the receipt was paid or replaced meanwhile', async () => {
    const key = newKey()
    const body = newReceipt()
    const first = await post('/api/receipts', body, key)
    expect(first.status).toBe(201)
    await makeReceipt(api, merchant, receiptBody(body.id, 4))
    expect((await post('/api/receipts', body, key)).text).toBe(first.text)
  })

  test('works for a session as for a key: both are the same merchant', async () => {
    const session = await logIn(api, merchant)
    const { key, body } = newRequest()
    const first = await post('/api/test/good', body, key, { session })
    expect((await post('/api/test/good', body, key)).text).toBe(first.text)
  })

  test('after seven days still gets it, and after nine the key is forgotten', async () => {
    const { key, body } = newRequest()
    const first = await post('/api/test/good', body, key)
    const start = api.clock.now()
    api.clock.jumpTo(start + 7 * dayMs)
    await pruneAccess(api.needs)
    expect((await post('/api/test/good', body, key)).text).toBe(first.text)
    api.clock.jumpTo(start + 9 * dayMs)
    await pruneAccess(api.needs)
    expect((await post('/api/test/good', body, key)).text).not.toBe(first.text)
    api.clock.jumpTo(start)
  })
})

describe('409 idempotency_conflict', () => {
  test('another body or another query under the same key', async () => {
    const { key, body } = newRequest()
    await post('/api/test/good', body, key)
    const before = calls
    const other = newRequest().body
    expectApiError(await post('/api/test/good', other, key), 409, 'idempotency_conflict')
    expectApiError(await post('/api/test/good?a=1', body, key), 409, 'idempotency_conflict')
    expect(calls).toBe(before)
  })

  test('while the first is still being answered, at once; afterwards its answer', async () => {
    const { key, body } = newRequest()
    const before = calls
    const first = post('/api/test/held', body, key)
    await expect.poll(() => calls).toBe(before + 1)
    expectApiError(await post('/api/test/held', body, key), 409, 'idempotency_conflict')
    release()
    const { text } = await first
    // On a busy machine, PostgreSQL ends the idle transaction, and the handler runs again.
    const carriedOut = calls
    expect((await post('/api/test/held', body, key)).text).toBe(text)
    expect(calls).toBe(carriedOut)
  })

  test('of thirty at once one is carried out', async () => {
    const { key, body } = newRequest()
    const before = calls
    const responses = await Promise.all(Array.from({ length: 30 }, () => post('/api/test/good', body, key)))
    expect(calls).toBe(before + 1)
    const texts = new Set(responses.filter(({ status }) => status === 201).map(({ text }) => text))
    expect(texts.size).toBe(1)
    expect(responses.every(({ status }) => status === 201 || status === 409)).toBe(true)
  })
})

describe('what is kept', () => {
  const kept = ['not_found', 'receipt_exists', 'invalid_input']
  test.each(kept)('the handler’s own %s is kept, and what it had changed is undone', async (code) => {
    const { key, body } = newRequest()
    const first = await post(`/api/test/${code}`, body, key)
    expect(first.body).toEqual({ error: code, message: `refused: ${code}` })
    expect(await exists(body.wallet)).toBe(false)
    const before = calls
    const again = await post(`/api/test/${code}`, body, key)
    expect([again.status, again.text]).toEqual([first.status, first.text])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(calls).toBe(before)
  })

  const notKept = ['forbidden', 'rate_limited', 'chain_unavailable', 'broken']
  test.each(notKept)('%s is not kept: the next try is carried out', async (code) => {
    const { key, body } = newRequest()
    const before = calls
    const first = await post(`/api/test/${code}`, body, key)
    const again = await post(`/api/test/${code}`, body, key)
    expect(again.status).toBe(first.status)
    expect(again.headers.get('idempotency-replayed')).toBeNull()
    expect(calls).toBe(before + 2)
    expect(await exists(body.wallet)).toBe(false)
  })

  test('a fault of the schema and a missing key are judged before and not kept', async () => {
    const key = newKey()
    expect((await post('/api/test/good', {}, key)).status).toBe(400)
    expect((await post('/api/test/good', { wallet: newWallet().wallet }, key, {})).status).toBe(401)
    expect((await post('/api/test/good', { wallet: newWallet().wallet }, key)).status).toBe(201)
  })
})

describe('what a key belongs to', () => {
  test('another merchant, another path and a GET know nothing of it', async () => {
    const key = newKey()
    const body = newReceipt()
    const first = await post('/api/receipts', body, key)
    const foreign = await post('/api/receipts', body, key, { key: other.key })
    expect(foreign.status).toBe(201)
    expect(foreign.text).not.toBe(first.text)
    expect((await post('/api/test/good', { wallet: newWallet().wallet }, key)).status).toBe(201)
    const headers = { 'idempotency-key': key }
    expect((await api.call('GET', '/api/receipts', { key: merchant.key, headers })).status).toBe(200)
  })

  test.each(['', 'a b', 'ü', 'x'.repeat(256)])('%j is no key: 400', async (key) => {
    const response = await api.app.inject({
      method: 'POST',
      url: '/api/receipts',
      headers: { 'ocp-apim-subscription-key': merchant.key, 'idempotency-key': key },
      payload: newReceipt(),
    })
    expect([response.statusCode, response.json().error]).toEqual([400, 'invalid_input'])
  })

  test('255 visible characters are one', async () => {
    expect((await post('/api/receipts', newReceipt(), '~'.repeat(255))).status).toBe(201)
  })
})
