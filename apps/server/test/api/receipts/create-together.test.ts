import { describe, expect, test } from 'vitest'
import { makeReceipt, receiptBody } from '../../support/api/receipts.ts'
import { startApi, type TestMerchant } from '../../support/api/start-api.ts'
import { holdTransaction } from '../../support/database/hold-transaction.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(() => startApi())
const sellers = perFile(async () => Promise.all(Array.from({ length: 12 }, () => api.addMerchant())))

const create = ({ key }: TestMerchant, body: object) => api.call('POST', '/api/receipts', { key, body })
const seller = (i: number) => sellers[i % sellers.length] as TestMerchant
const historyOf = async ({ wallet }: TestMerchant, id: string) => {
  const text = `SELECT kind FROM receipt_history WHERE merchant = $1 AND receipt_id = $2 ORDER BY seq`
  return (await api.database.pool.rows<{ kind: string }>({ name: 'test-history', text }, [wallet, id])).map(
    ({ kind }) => kind,
  )
}

describe('receipts that many callers create at the same time', () => {
  test('are stored whole, each for its own merchant', async () => {
    const ids = Array.from({ length: 96 }, (_, i) => `together-${i}`)
    const more = (i: number) => ({ transactionId: `T-${i}`, metadata: { place: `till ${i}` } })
    const responses = await Promise.all(ids.map((id, i) => create(seller(i), receiptBody(id, 2, more(i)))))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]))
    expect(responses.map(({ body }) => body.id)).toEqual(ids)
    for (const [i, each] of sellers.entries()) {
      const own = ids.filter((_, place) => place % sellers.length === i)
      const { body } = await api.call('GET', '/api/receipts', { key: each.key })
      expect(body.receipts.map(({ receiptId }: { receiptId: string }) => receiptId).sort()).toEqual(
        own.sort(),
      )
      const summary = (await api.call('GET', '/api/receipts/summary', { key: each.key })).body
      expect(summary.count).toBe(own.length)
    }
    const found = (await api.call('GET', '/api/receipts?q=till 13', { key: seller(13).key })).body.receipts
    expect(found.map(({ receiptId }: { receiptId: string }) => receiptId)).toEqual(['together-13'])
    expect(await historyOf(seller(5), 'together-5')).toEqual(['created'])
  })

  test('with one id and the same content are one receipt, and everybody gets it', async () => {
    const body = receiptBody('same', 7)
    const responses = await Promise.all(Array.from({ length: 24 }, () => create(seller(0), body)))
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(responses[0]?.status).toBe(201)
    expect(await historyOf(seller(0), 'same')).toEqual(['created'])
  })

  test('with one id and different content: the first is there for good, and the others are told so', async () => {
    const native = (amount: number) => ({
      id: 'contested',
      currency: 'USD',
      lineItems: [{ label: 'Coffee', amount }],
    })
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, i) => create(seller(1), native(i + 1))),
    )
    const won = responses.findIndex(({ status }) => status === 201)
    const codes = responses.map(({ status, body }) => (status === 201 ? 201 : body.error))
    expect(codes.filter((code) => code === 201)).toHaveLength(1)
    expect(codes.filter((code) => code === 'receipt_exists')).toHaveLength(11)
    const detail = (await api.call('GET', '/api/receipts/contested', { key: seller(1).key })).body
    expect(detail.totalUsd).toBe(won + 1)
  })

  test('with one id by different merchants are different receipts', async () => {
    const responses = await Promise.all(
      sellers.map((each, i) => create(each, receiptBody('everybody’s'.replace('’', '-'), i + 1))),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]))
    for (const [i, { key }] of sellers.entries()) {
      const { body } = await api.call('GET', '/api/receipts/everybody-s', { key })
      expect(body.totalUsd).toBe(i + 1)
    }
  })
})

describe('a receipt that is posted again while somebody changes its row', () => {
  const ids = ['held-1', 'held-2', 'held-3']
  const change = 'UPDATE receipt SET updated_at = updated_at + 1 WHERE merchant = $1 AND id = ANY($2)'
  const keyed = ({ key }: TestMerchant, body: object, idempotencyKey: string) =>
    api.call('POST', '/api/receipts', { key, body, headers: { 'idempotency-key': idempotencyKey } })

  test('is answered, with a key and without, and receipts beside it are made', {
    timeout: 60_000,
  }, async () => {
    const busy = seller(0)
    for (const id of ids) await makeReceipt(api, busy, receiptBody(id))
    const letGo = await holdTransaction(api.database.pool, change, [busy.wallet, ids])
    try {
      const again = ids.flatMap((id) => [
        create(busy, receiptBody(id)),
        create(busy, receiptBody(id)),
        keyed(busy, receiptBody(id), `again-${id}`),
      ])
      const beside = sellers.flatMap((each, i) => [
        create(each, receiptBody(`beside-${i}`)),
        keyed(each, receiptBody(`beside-keyed-${i}`), `beside-${i}`),
      ])
      const responses = await Promise.all([...again, ...beside])
      expect(new Set(responses.map(({ status, text }) => (status === 201 ? '' : text)))).toEqual(
        new Set(['']),
      )
    } finally {
      await letGo()
    }
    expect(await historyOf(busy, 'held-1')).toEqual(['created'])
  })
})
