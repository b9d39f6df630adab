import { describe, expect, test } from 'vitest'
import { findBrand } from '../../../src/site/find-brand.ts'
import { makeReceipt, readReceipt, receiptBody, takeForPaid } from '../../support/api/receipts.ts'
import { logIn, logInAs, newWallet } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const operatorAccount = newWallet()
const api = perFile(() => startApi({ operatorWallets: [operatorAccount.wallet] }))
const merchant = perFile(() => api.addMerchant({ name: 'Merchant Name' }))
const operator = perFile(() => logIn(api, operatorAccount))
let count = 0

async function make(totalUsd: number, more: object = {}) {
  const body = receiptBody(`b-${++count}`, totalUsd, more)
  await makeReceipt(api, merchant, body)
  return readReceipt(api, merchant, body.id)
}
const setFee = async (processingFeePct: number | null) => {
  const response = await api.call('POST', '/api/site/config', {
    session: operator,
    body: { processingFeePct },
  })
  expect(response.status).toBe(200)
}

describe('the processing fee', () => {
  test('is asked of the customer on top, fixed when the receipt is made, and no line', async () => {
    await setFee(0.5)
    const receipt = await make(99.99)
    expect(receipt).toMatchObject({ totalUsd: 99.99, customerTotalUsd: 100.49 })
    expect(receipt.lineItems).toHaveLength(1)
    await setFee(2)
    expect((await readReceipt(api, merchant, receipt.receiptId)).customerTotalUsd).toBe(100.49)
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
    await takeForPaid(api, merchant, owner, receiptId)
    const refund = (usd: number) => {
      const body = { receiptId, wallet: merchant.wallet, buyer: newWallet().wallet, usd }
      return api.call('POST', '/api/receipts/refund', { session: owner, body })
    }
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
    expect((await readReceipt(api, merchant, before.receiptId)).brandName).toBe('Merchant Name')
  })
})

test('the token of a webhook about a receipt nobody tried to pay is the brand’s default', async () => {
  const body = { defaultPaymentToken: 'cbBTC' }
  expect((await api.call('POST', '/api/site/config', { session: operator, body })).status).toBe(200)
  expect((await findBrand(api.needs.db, 'service')).defaultPaymentToken).toBe('cbBTC')
  const { receiptId } = await make(1, { webhook_url: 'https://shop.example.com/hook' })
  const owner = await logInAs(api, merchant.wallet, 'owner')
  await takeForPaid(api, merchant, owner, receiptId)
  const text = 'SELECT body FROM outbox_message WHERE merchant = $1 AND subject = $2'
  const statement = { name: 'test-message-body', text }
  const row = await api.needs.db.row<{ body: string }>(statement, [merchant.wallet, receiptId])
  expect(JSON.parse(row?.body ?? '{}').token).toBe('cbBTC')
})

test('a session makes a receipt as a key does, signed with the oldest subscription’s key', async () => {
  const owner = await logInAs(api, merchant.wallet, 'owner')
  const body = receiptBody(`b-${++count}`)
  expect((await api.call('POST', '/api/receipts', { session: owner, body })).status).toBe(201)
  const viewer = await logInAs(api, merchant.wallet, 'viewer')
  expect((await api.call('POST', '/api/receipts', { session: viewer, body })).status).toBe(403)
  expect((await api.call('GET', `/api/receipts/${body.id}`, { session: viewer })).status).toBe(200)
})
