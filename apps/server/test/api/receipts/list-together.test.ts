import { expect, test } from 'vitest'
import { until } from '../../../src/platform/process/process.ts'
import { receiptBody } from '../../support/api/receipts.ts'
import { startApi, type TestMerchant } from '../../support/api/start-api.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'

const sent: string[] = []
let arrivedCount = 0
/** The list's statements wait until so many requests have come. */
let awaitedCount = 0
const api = perFile(() =>
  startApi({
    between: (db) =>
      wrapDatabase(db, async ({ name }, run) => {
        sent.push(name)
        if (name === 'list-receipts') await until(() => arrivedCount >= awaitedCount, 20_000)
        return run()
      }),
    extend: (app) =>
      app.addHook('preHandler', (_request, _reply, done) => {
        arrivedCount++
        done()
      }),
  }),
)
const sellers = perFile(() => Promise.all([api.addMerchant(), api.addMerchant()]))

const create = ({ key }: TestMerchant, id: string) =>
  api.call('POST', '/api/receipts', { key, body: receiptBody(id) })
const list = ({ key }: TestMerchant, query = '') => api.call('GET', `/api/receipts${query}`, { key })
const idsOf = ({ body }: { body: { receipts: { receiptId: string }[] } }) =>
  body.receipts.map(({ receiptId }) => receiptId)

test('the same page asked for by many at the same time is fewer statements, and each merchant’s own', async () => {
  const [own, other] = sellers as [TestMerchant, TestMerchant]
  await create(own, 'own')
  await create(other, 'others')
  await Promise.all([list(own), list(other)])
  sent.length = 0
  // Four of each key are worked on at a time.
  awaitedCount = arrivedCount + 8
  const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => list(i % 2 === 0 ? own : other)))
  expect(answers.map((each) => idsOf(each))).toEqual(
    Array.from({ length: 24 }, (_, i) => [i % 2 === 0 ? 'own' : 'others']),
  )
  expect(sent.filter((name) => name === 'list-receipts').length).toBeLessThan(24)
})

test('pages asked for at the same time that differ are answered each as it was asked', async () => {
  const { key } = await api.addMerchant()
  const own = { ...sellers[0], key } as TestMerchant
  for (const id of ['one', 'two']) await create(own, id)
  const queries = ['', '?limit=1', '?limit=0', '?status=paid', '']
  const answers = await Promise.all(queries.map((query) => list(own, query)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 200, 200])
  const [all, first, , paid, again] = answers
  expect([all, again, first, paid].map((each) => each && idsOf(each).length)).toEqual([2, 2, 1, 0])
})

test('who asks after a receipt was made sees it, whatever others had asked before', async () => {
  const [own] = sellers as [TestMerchant, TestMerchant]
  const earlier = Array.from({ length: 8 }, () => list(own))
  await create(own, 'newest')
  expect(idsOf(await list(own))).toContain('newest')
  await Promise.all(earlier)
})
