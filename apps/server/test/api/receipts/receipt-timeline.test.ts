import { afterAll, beforeAll, expect, test } from 'vitest'
import { always } from '../../support/chain/chain-api.ts'
import { type PaymentContext, startPayments } from '../../support/chain/payments.ts'

let context: PaymentContext
beforeAll(async () => {
  context = await startPayments({ policy: always('seen') })
})
afterAll(() => context?.stop())

const read = async (path: string) => {
  const response = await context.api.call('GET', path, { key: context.merchant.key })
  expect(response.status, response.text).toBe(200)
  return response.body
}

test('the timeline of a receipt has what happened, in order, and what its checkout reported', async () => {
  await context.newReceipt('told', 10)
  const body = { receiptId: 'told', wallet: context.merchant.wallet, status: 'link_opened' }
  expect((await context.api.call('POST', '/api/receipts/status', { body })).status).toBe(200)
  const attempt = await context.attempt('told', 'USDC')
  await context.pay(attempt, 'call')
  await context.mine(2)
  await context.scan()
  const { entries, omitted } = await read('/api/receipts/told/timeline')
  const kinds = entries.map(({ kind }: { kind: string }) => kind)
  expect(kinds[0]).toBe('created')
  expect(kinds).toEqual(
    expect.arrayContaining(['checkout_event', 'attempt_opened', 'payment_credited', 'status']),
  )
  const times = entries.map(({ at }: { at: number }) => at)
  expect(times).toEqual(times.toSorted((a: number, b: number) => a - b))
  expect(omitted).toBe(0)
})
