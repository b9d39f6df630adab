import { afterAll, beforeAll, expect, test } from 'vitest'
import { always } from '../../support/chain/chain-api.ts'
import { type PaymentContext, startPayments } from '../../support/chain/payments.ts'

let world: PaymentContext
beforeAll(async () => {
  world = await startPayments({ policy: always('seen') })
})
afterAll(() => world?.stop())

const read = async (path: string) => {
  const response = await world.api.call('GET', path, { key: world.merchant.key })
  expect(response.status, response.text).toBe(200)
  return response.body
}

test('the timeline of a receipt has what happened, in order, and what its checkout reported', async () => {
  await world.newReceipt('told', 10)
  const body = { receiptId: 'told', wallet: world.merchant.wallet, status: 'link_opened' }
  expect((await world.api.call('POST', '/api/receipts/status', { body })).status).toBe(200)
  const attempt = await world.attempt('told', 'USDC')
  await world.pay(attempt, 'call')
  await world.mine(2)
  await world.scan()
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
