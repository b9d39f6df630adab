import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser/browser.ts'
import { listen, openAsBuyer } from '../support/browser/checkout-browser.ts'
import { type CheckoutHarness, startCheckoutHarness } from '../support/browser/checkout-harness.ts'
import { checkoutStates, openState, payableStates } from '../support/browser/checkout-states.ts'
import { addresses } from '../support/browser/checkout-views.ts'
import { violations } from '../support/browser/violations.ts'

let harness: CheckoutHarness
let browser: Browser
beforeAll(async () => {
  const walletConnectProject = 'test-project'
  ;[harness, browser] = await Promise.all([startCheckoutHarness({ walletConnectProject }), launchBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await harness?.close()
})

describe.each(Object.entries(checkoutStates))('the state %s', (name, { says }) => {
  it.each([
    'light',
    'dark',
  ] as const)('points 33, 40 and 44: has a panel of its own in words and a sign, with no violation of WCAG 2.2 AA, in %s', async (colorScheme) => {
    const buyer = await openAsBuyer(browser, 'about:blank', { colorScheme })
    await openState(harness, buyer.page, name)
    const text = await buyer.page.locator('#panel').innerText()
    for (const part of says) expect(text).toContain(part)
    const payParts = buyer.page.locator('.qr:not(.pairing *), .copy, .wallets, .address')
    expect((await payParts.count()) > 0).toBe(payableStates.has(name))
    if (!text.startsWith('Pay ')) expect(await buyer.page.locator('#stage .head .badge svg').count()).toBe(1)
    expect(await violations(buyer.page)).toEqual([])
    expect(buyer.problems).toEqual([])
    await buyer.close()
  })
})

it.each([
  'paid-late',
  'overpaid',
])('point 23: %s is shown as paid, with the reason and never as expired', async (name) => {
  const buyer = await openAsBuyer(browser, harness.put(name, checkoutStates[name]?.changes))
  const text = await buyer.page.locator('body').innerText()
  expect(text).toContain('Payment complete')
  expect(text).not.toMatch(/has expired/)
  await buyer.close()
})

it('point 24: expired with money on it tells not to pay again and offers no price', async () => {
  const buyer = await openAsBuyer(browser, harness.put('funds', checkoutStates['expired-funds']?.changes))
  expect(await buyer.page.locator('#panel').innerText()).toContain('Do not pay again')
  expect(await buyer.page.locator('#stage .button').count()).toBe(0)
  await buyer.close()
})

it('point 27: a failure shows words for the buyer and the reference, and nothing that is meant for the merchant', async () => {
  const url = harness.put('why', checkoutStates.failed?.changes)
  const buyer = await openAsBuyer(browser, url)
  expect(await buyer.page.locator('#stage').innerText()).toContain('req_9sX2')
  const { reason, action } = failures.PORTAL_PAY_ISSUER_DECLINED
  const html = await buyer.page.content()
  for (const text of [reason, action, 'PORTAL_PAY']) expect(html).not.toContain(text)
  await buyer.close()
})

it('points 29 and 31: a receipt has its own page and status, another recipient has none, without a violation', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const buyer = await openAsBuyer(browser, `${harness.url}/portal/unknown`, { colorScheme })
    expect(await buyer.page.locator('h1').innerText()).toBe('Payment not found')
    expect(await violations(buyer.page)).toEqual([])
    await buyer.close()
  }
  const status = async (path: string) => (await fetch(harness.url + path)).status
  harness.put('known')
  harness.put('done', { status: 'refunded' })
  harness.put('had', { status: 'paid' })
  expect(await status('/portal/unknown')).toBe(404)
  expect(await status('/pay/known')).toBe(200)
  expect(await status('/portal/done')).toBe(200)
  expect(await status('/portal/had')).toBe(200)
  expect(await status(`/pay/known?recipient=${addresses.merchant}`)).toBe(200)
  expect(await status(`/pay/known?recipient=${addresses.split}`)).toBe(404)
  expect(await status('/pay/unknown/events')).toBe(404)
})

it('point 37: there is one region for news and one for alarm, and bad news sounds once, in the second', async () => {
  const buyer = await openAsBuyer(browser, harness.put('news', checkoutStates.pending?.changes))
  for (const role of ['status', 'alert'])
    expect(await buyer.page.locator(`[role=${role}], [aria-live]:not([role])`).count()).toBe(1)
  const heard = await listen(buyer.page)
  harness.put('news', checkoutStates.failed?.changes)
  await buyer.page.getByRole('heading', { name: 'The payment failed' }).waitFor()
  expect(await heard()).toEqual([expect.stringMatching(/^alert: The payment failed\. Your bank declined/)])
  await buyer.close()
})

it('says that money of a test network is none, and nothing of the kind where it is', async () => {
  const real = { id: 8453, name: 'Base', explorerUrl: 'https://basescan.org' }
  const test = { id: 84532, name: 'Base Sepolia', explorerUrl: 'https://sepolia.basescan.org' }
  const notice = async (chain: typeof real) =>
    (await (await fetch(harness.put('network', { chain }))).text()).match(/<p class="strip">(.*?)<\/p>/)?.[1]
  expect(await notice(test)).toContain('Base Sepolia moves test money only')
  expect(await notice(real)).toBeUndefined()
})
