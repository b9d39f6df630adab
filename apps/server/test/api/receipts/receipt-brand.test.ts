import { describe, expect, test } from 'vitest'
import { findBrand } from '../../../src/site/find-brand.ts'
import { logIn, logInAs } from '../../support/asking/log-in.ts'
import { newWallet } from '../../support/asking/new-wallet.ts'
import { perFile } from '../../support/per-file.ts'
import { startApi } from '../../support/worlds/start-api.ts'

const operatorAccount = newWallet()
const api = perFile(() =>
  startApi({
    operatorWallets: [operatorAccount.wallet],
  }),
)
const merchant = perFile(() => api.addMerchant({ name: 'Merchant Name' }))
const operator = perFile(() => logIn(api, operatorAccount))
let count = 0

async function make(totalUsd: number, more: object = {}) {
  const body = { id: `b-${++count}`, lineItems: [{ label: 'x', priceUsd: totalUsd }], totalUsd, ...more }
  const answer = await api.call('POST', '/api/receipts', { key: merchant.key, body })
  expect(answer.status).toBe(201)
  return (await api.call('GET', `/api/receipts/${answer.body.id}`, { key: merchant.key })).body
}
const setFee = async (processingFeePct: number | null) => {
  const answer = await api.call('POST', '/api/site/config', { session: operator, body: { processingFeePct } })
  expect(answer.status).toBe(200)
}

describe('the processing fee', () => {
  test('is asked of the customer on top, fixed when the receipt is made, and no line', async () => {
    await setFee(0.5)
    const receipt = await make(99.99)
    expect(receipt).toMatchObject({ totalUsd: 99.99, customerTotalUsd: 100.49 })
    expect(receipt.lineItems).toHaveLength(1)
    await setFee(2)
    const { body } = await api.call('GET', `/api/receipts/${receipt.receiptId}`, { key: merchant.key })
    expect(body.customerTotalUsd).toBe(100.49)
    expect((await make(99.99)).customerTotalUsd).toBe(101.99)
    await setFee(null)
    expect((await make(99.99)).customerTotalUsd).toBe(99.99)
  })

  test('keeps its proportion when a receipt is edited, and is part of what may be refunded', async () => {
    await setFee(2)
    const { receiptId } = await make(100)
    await setFee(null)
    const owner = await logInAs(api, merchant.wallet, 'owner')
    const lines = { lineItems: [{ label: 'y', priceUsd: 50 }] }
    const edited = await api.call('PATCH', `/api/receipts/${receiptId}`, { session: owner, body: lines })
    expect(edited.body.receipt).toMatchObject({ totalUsd: 50, customerTotalUsd: 51 })
    const said = { receiptId, wallet: merchant.wallet, status: 'checkout_success' }
    await api.call('POST', '/api/receipts/status', { session: owner, body: said })
    const refund = (usd: number) =>
      api.call('POST', '/api/receipts/refund', {
        session: owner,
        body: { receiptId, wallet: merchant.wallet, buyer: newWallet().wallet, usd },
      })
    expect((await refund(51.01)).body.error).toBe('invalid_usd')
    expect((await refund(51)).status).toBe(200)
  })
})

describe('brandName', () => {
  test('is the shop’s name once there is one, else the merchant’s', async () => {
    const before = await make(1)
    expect(before.brandName).toBe('Merchant Name')
    const owner = await logInAs(api, merchant.wallet, 'owner')
    const body = { name: 'Harbour Coffee' }
    expect((await api.call('POST', '/api/shop/config', { session: owner, body })).status).toBe(200)
    expect((await make(1)).brandName).toBe('Harbour Coffee')
    const kept = await api.call('GET', `/api/receipts/${before.receiptId}`, { key: merchant.key })
    expect(kept.body.brandName).toBe('Merchant Name')
  })
})

test('the token of a webhook about a receipt nobody tried to pay is the brand’s default', async () => {
  const body = { defaultPaymentToken: 'cbBTC' }
  expect((await api.call('POST', '/api/site/config', { session: operator, body })).status).toBe(200)
  expect((await findBrand(api.needs.db, 'service')).defaultPaymentToken).toBe('cbBTC')
  const { receiptId } = await make(1, { webhook_url: 'https://shop.example.com/hook' })
  const owner = await logInAs(api, merchant.wallet, 'owner')
  const said = { receiptId, wallet: merchant.wallet, status: 'checkout_success' }
  await api.call('POST', '/api/receipts/status', { session: owner, body: said })
  const statement = {
    name: 'test-notice-body',
    text: 'SELECT body FROM notice WHERE merchant = $1 AND subject = $2',
  }
  const row = await api.needs.db.row<{ body: string }>(statement, [merchant.wallet, receiptId])
  expect(JSON.parse(row?.body ?? '{}').token).toBe('cbBTC')
})

test('a session makes a receipt as a key does, signed with the oldest subscription’s key', async () => {
  const owner = await logInAs(api, merchant.wallet, 'owner')
  const body = { id: `b-${++count}`, lineItems: [{ label: 'x', priceUsd: 1 }], totalUsd: 1 }
  expect((await api.call('POST', '/api/receipts', { session: owner, body })).status).toBe(201)
  const viewer = await logInAs(api, merchant.wallet, 'viewer')
  expect((await api.call('POST', '/api/receipts', { session: viewer, body })).status).toBe(403)
  expect((await api.call('GET', `/api/receipts/${body.id}`, { session: viewer })).status).toBe(200)
})
