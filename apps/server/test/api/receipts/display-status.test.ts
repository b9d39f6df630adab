import { describeFailure } from '@sluice/protocol/failures.ts'
import { describe, expect, test } from 'vitest'
import { paidFacts, startMerchantApi } from '../../support/api/merchant-api.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startMerchantApi)

const lineItems = [{ label: 'Tea', amount: 10 }]

async function make(id: string, state: string | undefined, extra: object = {}): Promise<void> {
  const made = await context.post('/api/receipts', { id, currency: 'USD', lineItems, ...extra })
  expect(made.status, made.text).toBe(201)
  if (state === undefined) return
  const text = 'UPDATE receipt SET payment = $3::jsonb WHERE merchant = $1 AND id = $2'
  const amounts = { due: '0', received: '0', missing: '0', excess: '0' }
  const payment = { state, token: 'USDC', decimals: 6, ...amounts, finality: 'seen' }
  await context.database.pool.run({ name: 'test-payment-state', text }, [
    context.merchant.wallet,
    id,
    JSON.stringify(payment),
  ])
}

const pay = (id: string) => context.move(id, 'payment_verified', { paid: paidFacts })
const cancel = (id: string) => context.post(`/api/receipts/${id}/cancel`, undefined)

const expected: Readonly<Record<string, string>> = {
  fresh: 'pending',
  'in-time': 'pending',
  'quote-over': 'pending',
  expired: 'expired',
  'expired-awaiting': 'expired',
  part: 'underpaid',
  'part-in-time': 'underpaid',
  'part-expired': 'underpaid',
  'part-cancelled': 'cancelled',
  confirming: 'confirming',
  'confirming-expired': 'confirming',
  paid: 'paid',
  late: 'paid',
  more: 'overpaid',
  'more-returned': 'paid',
  reversed: 'reversed',
  cancelled: 'cancelled',
  declined: 'failed',
  closed: 'stopped',
  'closed-part': 'underpaid',
}

async function makeAll(): Promise<void> {
  const deadline = { expiresAt: context.clock.now() + 60_000 }
  const later = { expiresAt: context.clock.now() + 600_000 }
  await make('fresh', undefined)
  await make('in-time', undefined, later)
  await make('quote-over', 'expired')
  await make('expired', undefined, deadline)
  await make('expired-awaiting', 'awaiting', deadline)
  await make('part', 'short')
  await make('part-in-time', 'short', later)
  await make('part-expired', 'short', deadline)
  await make('part-cancelled', 'short')
  await make('confirming', 'seen')
  await make('confirming-expired', 'seen', deadline)
  for (const [id, state] of [
    ['paid', 'paid'],
    ['late', 'late'],
    ['more', 'over'],
    ['more-returned', 'over'],
    ['reversed', 'orphaned'],
  ] as const) {
    await make(id, undefined)
    await pay(id)
    const text =
      "UPDATE receipt SET payment = coalesce(payment, '{}') || $3::jsonb WHERE merchant = $1 AND id = $2"
    const amounts = { due: '0', received: '0', missing: '0', excess: '0' }
    const payment = { state, token: 'USDC', decimals: 6, ...amounts, finality: 'seen' }
    await context.database.pool.run({ name: 'test-paid-state', text }, [
      context.merchant.wallet,
      id,
      JSON.stringify(payment),
    ])
  }
  const text = "UPDATE receipt SET refunded_cents = 100 WHERE merchant = $1 AND id = 'more-returned'"
  await context.database.pool.run({ name: 'test-returned', text }, [context.merchant.wallet])
  await make('cancelled', undefined, deadline)
  for (const [id, state, code] of [
    ['declined', undefined, 'PORTAL_PAY_CARD_EXPIRED'],
    ['closed', undefined, 'PORTAL_PAY_CANCELLED'],
    ['closed-part', 'short', 'PORTAL_PAY_CHECKOUT_CLOSED'],
  ] as const) {
    await make(id, state, deadline)
    await context.move(id, 'failure_verified', { failure: describeFailure(code) })
  }
  for (const id of ['part-cancelled', 'cancelled']) expect((await cancel(id)).status).toBe(200)
  await context.clock.advance(60_000)
}

type Listed = { readonly receiptId: string; readonly status: string; readonly displayStatus: string }
const list = async (query = ''): Promise<Listed[]> =>
  (await context.get(`/api/receipts?limit=200${query}`)).body.receipts
const summarize = async (query = '') => (await context.get(`/api/receipts/summary?${query}`)).body

describe('a receipt is shown as what it is', () => {
  test('in the list, in full, and counted', async () => {
    await makeAll()
    const shown = await list()
    expect(Object.fromEntries(shown.map((each) => [each.receiptId, each.displayStatus]))).toEqual(expected)
    for (const { receiptId, displayStatus, status } of shown)
      expect(await context.detail(receiptId)).toMatchObject({ displayStatus, status })

    const { byStatus, byDisplayStatus, totals } = await summarize()
    const counts = Object.groupBy(Object.values(expected), (status) => status)
    for (const [status, count] of Object.entries(byDisplayStatus))
      expect([status, count]).toEqual([status, counts[status]?.length ?? 0])
    expect(byStatus).toMatchObject({ pending: 10, paid: 5, cancelled: 2, failed: 3 })
    // Expired receipts do not count as awaiting.
    expect(totals).toMatchObject([{ currency: 'USD', awaiting: 80, paid: 50 }])
  })

  test.each([
    ...new Set(Object.values(expected)),
    'expired,underpaid',
    'pending,confirming',
    'failed',
  ])('and found by it: %s', async (wanted) => {
    const ids = (found: readonly Listed[]) => found.map(({ receiptId }) => receiptId).toSorted()
    const own = Object.keys(expected).filter((id) => wanted.split(',').includes(expected[id] ?? ''))
    for (const more of [
      '',
      '&sort=createdAt',
      '&sort=-amount',
      '&status=pending,paid,cancelled,failed',
      '&min=1&currency=USD',
    ])
      expect(ids(await list(`&displayStatus=${wanted}${more}`)), more).toEqual(own.toSorted())
    const headers = { 'x-api-key': context.merchant.key }
    const csv = await fetch(`${context.url}/api/receipts/export?displayStatus=${wanted}`, { headers })
    expect((await csv.text()).trim().split(/\r?\n/).length).toBe(own.length + 1)
  })

  test('whatever else is asked for, and not beyond it', async () => {
    const { byDisplayStatus } = await summarize('q=part')
    expect(byDisplayStatus).toMatchObject({ underpaid: 3, cancelled: 1, expired: 0, pending: 0, failed: 0 })
    expect((await summarize('currency=EUR')).byDisplayStatus).toMatchObject({ expired: 0, underpaid: 0 })
    expect((await summarize('status=paid')).totals).toMatchObject([{ awaiting: 0 }])
    expect((await list('&displayStatus=expired&status=paid')).length).toBe(0)
    const wrong = await context.get('/api/receipts?displayStatus=expird')
    expect(wrong.body.issues).toEqual([
      { path: 'displayStatus', message: 'must name statuses, separated by commas; did you mean expired?' },
    ])
  })
})
