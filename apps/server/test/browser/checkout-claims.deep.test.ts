import { afterAll, beforeAll, expect, test } from 'vitest'
import { addRealPages } from '../support/api/pages.ts'
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { startUnmatchedPayments } from '../support/chain/refunds.ts'
import { perFile } from '../support/per-file.ts'

const context = perFile(() => startUnmatchedPayments({ extend: addRealPages }))
let browser: TestBrowser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

test('who paid twice is led from the checkout to the second payment, ready to be claimed, until the merchant decides', async () => {
  const { id, payment } = await context.paidTwice(10)
  const url = `${context.api.url}/pay/${id}?recipient=${context.merchant.wallet}`
  const { page, problems, close } = await openAsBuyer(browser, url)
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  const claim = page.getByRole('link', { name: 'Claim this payment' })
  await claim.click()
  await page.getByText('Payment found').waitFor()
  expect(await page.locator('#hash').inputValue()).toBe(payment.transactionHash)
  expect(await page.locator('.result').innerText()).toContain('10.00 USDC')

  await context.logIn()
  expect((await context.decide(payment.id, { action: 'keep', note: 'a tip' })).status).toBe(200)
  await page.goto(url)
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  expect(await claim.count()).toBe(0)
  expect(problems).toEqual([])
  await close()
})
