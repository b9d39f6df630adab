import { findNetwork } from '@sluice/protocol/networks/list.ts'
import { expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { addRealPages } from '../../support/api/pages.ts'
import { type PayWay, startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

/** USDT as on BNB Smart Chain, with 18 decimals. */
const USDT = findNetwork(56)?.tokens.USDT
const context = perFile(() => startPayments({ tokens: USDT && { USDT }, extend: addRealPages }))
const amount = '19990000000000000000'
const textOf = async (path: string, headers = {}) =>
  (await fetch(context.api.url + path, { headers: { accept: 'text/html', ...headers } })).text()

test.each<PayWay>([
  'transfer',
  'call',
])('19.99 USD asks for exact units, and is paid and shown exactly, by a %s', async (way) => {
  const id = `exact-${way}`
  const attempt = await context.open(id, 19.99, 'USDT')
  expect(attempt).toMatchObject({ amount, remaining: amount })
  const pagePath = `/pay/${id}?recipient=${context.merchant.wallet}&token=USDT`
  expect(await textOf(pagePath)).toContain('19.99 USDT')
  await context.payAndScan(attempt, way)
  const whole = { received: amount, missing: '0', excess: '0', decimals: 18 }
  expect(await context.payment(id)).toMatchObject({ status: 'paid', state: 'paid', token: 'USDT', ...whole })
  const detail = await context.detail(id)
  expect(detail.payment).toMatchObject({
    due: 19.99,
    dueRaw: amount,
    received: 19.99,
    receivedRaw: amount,
    missing: 0,
  })
  const { body } = await context.call('GET', `/api/receipts/status?receiptId=${id}`, {
    key: context.merchant.key,
  })
  expect(body).toMatchObject({ currency: 'USDT', amount: 19.99, amountRaw: amount })
  expect(await context.messages(id)).toMatchObject([{ body: { status: 'paid', token: 'USDT' } }])
  const csv = await textOf('/api/payments/export', { 'x-api-key': context.merchant.key })
  expect(csv.split('\n').find((line) => line.includes(id))).toMatch(
    /\b19\.99\b.*\bUSDT\b|\bUSDT\b.*\b19\.99\b/,
  )
})

test('one unit less than the price is missing, and the split pays out every unit that arrived', async () => {
  const attempt = await context.open('short', 19.99, 'USDT')
  await context.payAndScan(attempt, 'transfer', BigInt(amount) - 1n)
  expect(await context.payment('short')).toMatchObject({ status: 'pending', state: 'short', missing: '1' })
  await context.payAndScan(await context.attempt('short', 'USDT'), 'transfer')
  expect(await context.payment('short')).toMatchObject({ status: 'paid', received: amount })
  await context.mine(8)
  await context.api.run(jobNames.sweepDeposits)
  await context.mineAndScan(8)
  const token = context.tokenAddress('USDT')
  expect(await context.balanceOf(token, attempt.depositAddress)).toBe(0n)
  expect(await context.balanceOf(token, attempt.payTo)).toBeGreaterThanOrEqual(BigInt(amount))
})
