import { describe, expect, test } from 'vitest'
import { receiptBody } from '../../support/api/receipts.ts'
import { startApi, type TestMerchant } from '../../support/api/start-api.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'

type Sent = { readonly name: string; readonly values: readonly unknown[] }
const sent: Sent[] = []
/** Fails what reads this receipt, together with others or alone. */
let broken: string | undefined
const api = perFile(() =>
  startApi({
    between: (db) =>
      wrapDatabase(db, ({ name, values = [] }, run) => {
        sent.push({ name, values })
        const ids = values.find((value) => Array.isArray(value)) as readonly unknown[] | undefined
        if (name === 'find-receipt-details' && broken !== undefined && ids?.includes(broken))
          throw new Error('this receipt cannot be read')
        return run()
      }),
  }),
)
const sellers = perFile(async () => Promise.all(Array.from({ length: 8 }, () => api.addMerchant())))
const seller = (i: number) => sellers[i % sellers.length] as TestMerchant

const ids = Array.from({ length: 12 }, (_, i) => `read-${i}`)
const made = perFile(async () =>
  Promise.all(
    ids.flatMap((id) =>
      sellers.map(({ key }, i) =>
        api.call('POST', '/api/receipts', { key, body: receiptBody(id, 1 + i, { metadata: { owner: i } }) }),
      ),
    ),
  ),
)
const read = ({ key }: TestMerchant, id: string) => api.call('GET', `/api/receipts/${id}`, { key })
const detailsSent = () => sent.filter(({ name }) => name === 'find-receipt-details')

describe('receipts that many callers read at the same time', () => {
  test('are each their own merchant’s, in fewer statements than there are readers, each of one merchant', async () => {
    expect(made.every(({ status }) => status === 201)).toBe(true)
    const alone = await Promise.all(sellers.map((each) => read(each, 'read-3')))
    sent.length = 0
    const asked = ids.flatMap((id) => sellers.map((each, i) => ({ id, each, i })))
    const answers = await Promise.all(asked.map(({ each, id }) => read(each, id)))
    for (const [place, { id, i }] of asked.entries()) {
      const { status, body } = answers[place] ?? {}
      expect([status, body.receiptId, body.metadata]).toEqual([200, id, { owner: i }])
      if (id === 'read-3') expect(body).toEqual(alone[i]?.body)
    }
    expect(detailsSent().length).toBeLessThan(asked.length)
    const wallets = sellers.map(({ wallet }) => wallet)
    for (const { values } of detailsSent())
      expect(values.filter((value) => wallets.includes(value as never))).toHaveLength(1)
  })

  test('and another merchant’s id is as good as unknown beside one’s own', async () => {
    const { key } = seller(0)
    await api.call('POST', '/api/receipts', { key, body: receiptBody('of-one-alone') })
    const answers = await Promise.all([
      read(seller(0), 'of-one-alone'),
      read(seller(1), 'of-one-alone'),
      read(seller(1), 'read-1'),
      read(seller(1), 'never-made'),
      read(seller(1), 'read-1'),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 404, 200])
    const told = (text: string) => text.replace(/"correlationId":"[^"]*"/, '')
    expect(told(answers[1]?.text ?? '')).toBe(told(answers[3]?.text ?? ''))
    expect(answers[2]?.text).toBe(answers[4]?.text)
  })

  test('and one that cannot be read spoils no other’s answer', async () => {
    broken = 'read-5'
    try {
      const answers = await Promise.all(ids.map((id) => read(seller(2), id)))
      expect(answers.map(({ status }) => status)).toEqual(ids.map((id) => (id === broken ? 500 : 200)))
    } finally {
      broken = undefined
    }
  })
})
