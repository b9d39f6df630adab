import { afterAll, beforeAll, expect, it } from 'vitest'
import { addRealPages } from '../support/api/pages.ts'
import type { TestMerchant } from '../support/api/start-api.ts'
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { startPayments } from '../support/chain/payments.ts'
import { perFile } from '../support/per-file.ts'

const context = perFile(() => startPayments({ extend: addRealPages, baseUrl: 'http://127.0.0.1' }))
let browser: TestBrowser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

async function make(merchant: TestMerchant, label: string, priceUsd: number): Promise<void> {
  const body = { id: 'R-1001', lineItems: [{ label, priceUsd }], totalUsd: priceUsd }
  const { status, text } = await context.api.call('POST', '/api/receipts', { key: merchant.key, body })
  expect(status, text).toBe(201)
}

it('point 31: one id at two merchants: each address shows its own receipt and nothing of the other, and a third none', async () => {
  const [first, second] = await Promise.all([
    context.api.addMerchant({ name: 'Alder Bakery' }),
    context.api.addMerchant({ name: 'Birch Books' }),
  ])
  const own = [
    { merchant: first, name: 'Alder Bakery', label: 'Rye loaf', priceUsd: 7.35, total: '$7.35' },
    { merchant: second, name: 'Birch Books', label: 'Atlas of moss', priceUsd: 48.2, total: '$48.20' },
  ]
  for (const { merchant, label, priceUsd } of own) await make(merchant, label, priceUsd)
  const urlOf = (wallet: string) => `${context.api.url}/pay/R-1001?recipient=${wallet}`
  for (const [i, { merchant, name, label, total }] of own.entries()) {
    const { page, problems, close } = await openAsBuyer(browser, urlOf(merchant.wallet))
    const html = await page.content()
    for (const part of [name, label, total, merchant.wallet]) expect(html).toContain(part)
    const other = own[1 - i]
    for (const part of [other?.name, other?.label, other?.total, other?.merchant.wallet])
      expect(html).not.toContain(part)
    expect(problems).toEqual([])
    await close()
  }
  for (const recipient of [context.merchant.wallet, context.buyer.address, 'nobody']) {
    const { page, close } = await openAsBuyer(browser, 'about:blank')
    const response = await page.goto(urlOf(recipient))
    expect([recipient, response?.status()]).toEqual([recipient, 404])
    expect(await page.locator('h1').innerText()).toBe('Payment not found')
    for (const { name, label } of own)
      for (const part of [name, label]) expect(await page.content()).not.toContain(part)
    await close()
  }
})
