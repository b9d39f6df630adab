import { failingCards, payingCard } from '@sluice/protocol/test-cards.ts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts'
import { type BuyerPage, openAsBuyer } from '../support/browser/checkout-browser.ts'
import { type LocalService, startLocalService } from '../support/service/local-service.ts'

let service: LocalService
let browser: TestBrowser
beforeAll(async () => {
  ;[service, browser] = await Promise.all([startLocalService(), openBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
})

const lines = { lineItems: [{ label: 'Kettle', priceUsd: 64.5 }], totalUsd: 64.5 }
const settled = { timeout: 60_000 }

describe('a buyer who pays by card', () => {
  it('pays on the sandbox page, sees paid, and the money is split and delivered', async () => {
    const { page, problems, close } = await open('card-paid')
    await toSandbox(page)
    await payByCard(page, payingCard)
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor(settled)
    await expect.poll(() => service.status('card-paid')).toBe('reconciled')
    const detail = await api('/api/receipts/card-paid')
    expect(detail.payment).toMatchObject({ state: 'paid', provenBy: 'chain', token: 'USDC', received: 64.5 })
    expect(detail).toMatchObject({ isProviderSessionUnique: true, providerSourceAmountUsd: 65.47 })
    expect(detail.providerSessionId).toMatch(/^sbx_/)
    expect(problems).toEqual([])
    await close()
  })

  it('works without scripts, from the checkout to the result', async () => {
    const { page, close } = await open('card-bare', { javaScriptEnabled: false })
    await toSandbox(page)
    await payByCard(page, payingCard)
    await expect.poll(() => service.status('card-bare'), settled).toMatch(/paid|reconciled/)
    await page.reload()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor(settled)
    await close()
  })

  it('sees why a card was declined and what helps, and pays with another one', async () => {
    const { page, problems, close } = await open('card-declined')
    await toSandbox(page)
    await payByCard(page, failingCards.PORTAL_PAY_INSUFFICIENT_FUNDS)
    await page.getByRole('heading', { name: 'The payment failed' }).waitFor(settled)
    const said = await page.locator('#stage').innerText()
    expect(said).toContain('has insufficient funds')
    expect(said).toContain('Pay with another card or from a wallet')
    expect(said).toMatch(/req_\w+/)
    expect(await service.status('card-declined')).toBe('failed')
    await toSandbox(page)
    await payByCard(page, payingCard)
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor(settled)
    await expect.poll(() => service.status('card-declined')).toBe('reconciled')
    expect(problems).toEqual([])
    await close()
  })

  it.each([
    'PORTAL_PAY_SANCTIONS_MATCH',
    'PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM',
  ] as const)('is not asked to try the card again after %s, and pays from a wallet all the same', async (code) => {
    const { page, close } = await open(`card-${code}`)
    await toSandbox(page)
    await payByCard(page, failingCards[code])
    await page.getByRole('heading', { name: 'The payment failed' }).waitFor(settled)
    expect(await page.getByRole('button', { name: 'Try again with a card' }).count()).toBe(0)
    expect(await page.locator('#stage').innerText()).not.toMatch(/split/i)
    await page.getByRole('link', { name: 'Pay another way' }).click()
    await page.getByRole('button', { name: 'Copy address' }).waitFor()
    await close()
  })

  it('who cancelled is told so without alarm, and may start again', async () => {
    const { page, close } = await open('card-cancelled')
    await toSandbox(page)
    await payByCard(page, failingCards.PORTAL_PAY_CANCELLED)
    await page.getByRole('heading', { name: 'The payment was not completed' }).waitFor(settled)
    expect(await page.locator('#stage .head').getAttribute('data-tone')).toBe('plain')
    await page.getByRole('button', { name: 'Try again with a card' }).waitFor()
    await close()
  })

  it('finds every test card on the page, and each link fills the form in', async () => {
    const { page, close } = await open('card-list')
    await toSandbox(page)
    expect(await page.locator('.use').count()).toBe(Object.keys(failingCards).length + 1)
    await page.locator('.use[aria-label="Use 4000 0000 0102 0009"]').click()
    await page.waitForURL(/number=4000000001020009/)
    expect(await page.getByLabel('Card number').inputValue()).toBe('4000 0000 0102 0009')
    await close()
  })

  it('may go back without paying, and still pay in any way', async () => {
    const { page, close } = await open('card-back')
    await toSandbox(page)
    await page.getByRole('link', { name: 'Go back without paying' }).click()
    await page.getByRole('heading', { name: 'Checking your payment' }).waitFor()
    await page.getByRole('link', { name: 'Choose a way to pay' }).click()
    await page.getByRole('button', { name: 'Pay by card or bank' }).waitFor()
    expect(await page.getByRole('button', { name: 'Copy address' }).count()).toBe(1)
    expect(await service.status('card-back')).toBe('pending')
    await close()
  })
})

describe('a buyer who pays from a bank account', () => {
  it('sees that the bank is still at work, and then that it is paid', async () => {
    const { page, problems, close } = await open('bank-settled')
    await toSandbox(page)
    await payByBank(page, '000123456789')
    // The sandbox's bank takes eight seconds, so the page and the service are checked concurrently.
    await Promise.all([
      page.getByRole('heading', { name: 'Bank payment accepted' }).waitFor(settled),
      page.locator('#stage', { hasText: 'within five business days' }).waitFor(settled),
      expect.poll(() => service.status('bank-settled')).toBe('paid - ach pending'),
    ])
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor({ timeout: 60_000 })
    await expect.poll(() => service.status('bank-settled')).toBe('reconciled')
    expect(problems).toEqual([])
    await close()
  })

  it('sees that the bank returned the debit, and can pay in another way', async () => {
    const { page, close } = await open('bank-returned')
    await toSandbox(page)
    await payByBank(page, '000111111116')
    await page.getByRole('heading', { name: 'Bank payment accepted' }).waitFor(settled)
    await page.getByRole('heading', { name: 'The payment failed' }).waitFor({ timeout: 60_000 })
    expect(await service.status('bank-returned')).toBe('failed')
    await page.getByRole('link', { name: 'Pay another way' }).click()
    await page.getByRole('button', { name: 'Copy address' }).waitFor()
    await close()
  })
})

async function open(id: string, options: { javaScriptEnabled?: boolean } = {}): Promise<BuyerPage> {
  return openAsBuyer(browser, await service.createReceipt(id, lines), options)
}

async function toSandbox(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^(Pay by|Try again with a) card/ }).click()
  await page.waitForURL(/\/sandbox\/onramp\/sbx_/)
}

async function payByCard(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number)
  await page.getByRole('button', { name: /^Pay \$/ }).click()
  await page.waitForURL(/\/pay\//)
}

async function payByBank(page: Page, account: string): Promise<void> {
  await page.getByRole('link', { name: 'Bank account' }).click()
  await page.getByLabel('Account number').fill(account)
  await page.getByRole('button', { name: /^Pay \$/ }).click()
  await page.waitForURL(/\/pay\//)
}

async function api(path: string) {
  const response = await fetch(service.baseUrl + path, { headers: { 'x-api-key': service.subscriptionKey } })
  return (await response.json()) as Record<string, unknown>
}
