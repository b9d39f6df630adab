import { describe, expect, test } from 'vitest'
import { expectApiError } from '../../support/api/contract.ts'
import { euroBody, makeReceipt, receiptBody } from '../../support/api/receipts.ts'
import { startApi, type TestMerchant } from '../../support/api/start-api.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'

const storing = 'insert-receipt'

const sent: string[] = []
let befalls: 'nothing' | 'lost before' | 'lost after' = 'nothing'
const api = perFile(() =>
  startApi({
    between: (db) =>
      wrapDatabase(db, async ({ name }, run) => {
        sent.push(name)
        if (name !== storing || befalls === 'nothing') return run()
        if (befalls === 'lost after') await run()
        throw Object.assign(new Error('the connection is gone'), { code: 'ECONNRESET' })
      }),
  }),
)
const merchant = perFile(() => api.addMerchant())
const other = perFile(() => api.addMerchant())

let count = 0
const newKey = () => `made-${++count}`
const post = (body: object, idempotencyKey: string, { key }: TestMerchant = merchant) =>
  api.call('POST', '/api/receipts', { key, body, headers: { 'idempotency-key': idempotencyKey } })
const read = (id: string) => api.call('GET', `/api/receipts/${id}`, { key: merchant.key })
const countOf = async (table: 'idempotency' | 'receipt_history' | 'receipt') => {
  const text = `SELECT count(*) AS count FROM ${table} WHERE merchant = $1`
  const row = await api.database.pool.row<{ count: bigint }>({ name: `test-${table}`, text }, [
    merchant.wallet,
  ])
  return Number(row?.count)
}

describe('a receipt that is created with an Idempotency-Key', () => {
  test('is stored with its answer by one statement, and a repeat is answered byte for byte', async () => {
    for (const body of [receiptBody('keyed-usd'), euroBody('keyed-eur')]) {
      const key = newKey()
      // Caches the key's merchant and the rate of the currency.
      await post({ ...body, id: `warm-${key}` }, newKey())
      sent.length = 0
      const first = await post(body, key)
      expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([201, null])
      expect(sent).toEqual([storing])
      sent.length = 0
      const again = await post(body, key)
      expect(sent).toEqual([storing, 'find-kept-answer'])
      expect([again.status, again.text]).toEqual([201, first.text])
      expect(again.headers.get('idempotency-replayed')).toBe('true')
      expect((await read(body.id)).body.timeline.map(({ kind }: { kind: string }) => kind)).toEqual([
        'created',
      ])
    }
  })

  test('is one however often it is asked for at once, and everybody gets its answer', async () => {
    const [key, body] = [newKey(), receiptBody('keyed-at-once')]
    const responses = await Promise.all(Array.from({ length: 40 }, () => post(body, key)))
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(responses[0]?.status).toBe(201)
    expect(responses.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1)
    expect((await read('keyed-at-once')).body.timeline).toHaveLength(1)
  })

  test('of bodies under one key at once makes one, and every other is refused and leaves nothing', async () => {
    const key = newKey()
    const [receipts, kept] = [await countOf('receipt'), await countOf('idempotency')]
    const bodies = Array.from({ length: 24 }, (_, i) => receiptBody(`keyed-rival-${i}`, 1 + i))
    const responses = await Promise.all(bodies.map((body) => post(body, key)))
    const made = responses.filter(({ status }) => status === 201)
    expect(made).toHaveLength(1)
    for (const response of responses)
      if (response.status !== 201) expectApiError(response, 409, 'idempotency_conflict')
    expect([await countOf('receipt'), await countOf('idempotency')]).toEqual([receipts + 1, kept + 1])
    const [winner] = made
    expect((await post(bodies[responses.indexOf(winner as never)] ?? {}, key)).text).toBe(winner?.text)
  })

  test('beside others of its merchant spoils none of them, whatever is wrong with it', async () => {
    const taken = newKey()
    await post(receiptBody('keyed-before'), taken)
    await makeReceipt(api, merchant, receiptBody('keyed-there', 9))
    const [good, wrong, there] = await Promise.all([
      Promise.all(Array.from({ length: 12 }, (_, i) => post(receiptBody(`keyed-good-${i}`), newKey()))),
      post(receiptBody('keyed-wrong'), taken),
      post(receiptBody('keyed-there', 9), newKey()),
    ])
    expect(good.map(({ status }) => status)).toEqual(good.map(() => 201))
    expectApiError(wrong, 409, 'idempotency_conflict')
    expect((await read('keyed-wrong')).status).toBe(404)
    expect(there.status).toBe(201)
  })

  test('under a key that was answered for another merchant is this one’s own', async () => {
    const key = newKey()
    const first = await post(receiptBody('keyed-shared'), key)
    const foreign = await post(receiptBody('keyed-shared', 8), key, other)
    expect([first.status, foreign.status]).toEqual([201, 201])
    expect(foreign.text).not.toBe(first.text)
  })

  test('is refused as ever, and the refusal is kept', async () => {
    const key = newKey()
    const body = receiptBody(`R-${'0'.repeat(26)}`)
    const first = await post(body, key)
    expectApiError(first, 400, 'invalid_input')
    const again = await post(body, key)
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true'])
  })

  test('is there whole or not at all where the database is lost, and a repeat finds out which', async () => {
    const [lost, found] = [receiptBody('keyed-lost'), receiptBody('keyed-found')]
    const [lostKey, foundKey] = [newKey(), newKey()]
    for (const [state, body, key] of [
      ['lost before', lost, lostKey],
      ['lost after', found, foundKey],
    ] as const) {
      befalls = state
      await post(body, key)
      befalls = 'nothing'
    }
    for (const [body, key] of [
      [lost, lostKey],
      [found, foundKey],
    ] as const) {
      const response = await post(body, key)
      expect(response.status).toBe(201)
      expect((await post(body, key)).text).toBe(response.text)
      expect((await read(body.id)).body.timeline).toHaveLength(1)
    }
  })

  test('says what of its body nobody read, also when it is answered again', async () => {
    const key = newKey()
    const body = { ...receiptBody('keyed-warned'), nobodyReads: 1 }
    const first = await post(body, key)
    expect(first.body.warnings).toHaveLength(1)
    expect((await post(body, key)).text).toBe(first.text)
  })
})
