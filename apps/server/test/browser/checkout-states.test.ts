import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { type CheckoutHarness, startCheckoutHarness } from '../support/browser/checkout-harness.ts'
import { checkoutStates, fullPayment, payableStates } from '../support/browser/checkout-states.ts'
import { addresses } from '../support/browser/checkout-views.ts'

let harness: CheckoutHarness
let browser: Browser
beforeAll(async () => {
  ;[harness, browser] = await Promise.all([startCheckoutHarness(), launchBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await harness?.close()
})

describe.each(Object.entries(checkoutStates))('the state %s', (name, { changes, refusal, says }) => {
  beforeEach(() => {
    if (refusal) harness.fault.open = refusal
  })
  afterEach(() => {
    delete harness.fault.open
  })

  it('has a panel of its own that says what is so, with no violation of WCAG 2.2 AA in light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const buyer = await openAsBuyer(browser, harness.put(name, changes), { colorScheme })
      const text = await buyer.page.locator('#panel').innerText()
      for (const part of says) expect(text).toContain(part)
      const payParts = buyer.page.locator('.qr, .copy, .wallets, .address')
      expect((await payParts.count()) > 0).toBe(payableStates.has(name))
      expect(await violations(buyer.page)).toEqual([])
      expect(buyer.problems).toEqual([])
      await buyer.close()
    }
  })
})

it('an unknown receipt is a page with 404 of its own, without a violation', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const buyer = await openAsBuyer(browser, `${harness.url}/portal/unknown`, { colorScheme })
    expect(await buyer.page.locator('h1').innerText()).toBe('Payment not found')
    expect(await violations(buyer.page)).toEqual([])
    await buyer.close()
  }
  const status = async (path: string) => (await fetch(harness.url + path)).status
  harness.put('known')
  harness.put('done', { status: 'refunded' })
  expect(await status('/portal/unknown')).toBe(404)
  expect(await status('/pay/known')).toBe(200)
  expect(await status('/portal/done')).toBe(200)
  expect(await status(`/pay/known?recipient=${addresses.merchant}`)).toBe(200)
  expect(await status(`/pay/known?recipient=${addresses.split}`)).toBe(404)
  expect(await status('/pay/unknown/events')).toBe(404)
})

it('every target is 24 pixels at least, the main ones 44, and nothing scrolls sideways at 320', async () => {
  const long = 'W'.repeat(180)
  const url = harness.put('narrow', {
    brandName: long,
    lineItems: [{ label: long, priceUsd: 1_000_000_000 }],
  })
  const buyer = await openAsBuyer(browser, url, { viewport: { width: 320, height: 700 } })
  const sizes = await buyer.page.evaluate<
    { text: string; height: number; width: number; isMain: boolean }[]
  >(`
    [...document.querySelectorAll('a, button, summary, .tabs label')]
      .filter((it) => it.checkVisibility() && !it.matches('.skip, p a'))
      .map((it) => ({ text: it.textContent, height: it.getBoundingClientRect().height,
        width: it.getBoundingClientRect().width, isMain: it.matches('.button, .wallet, .tokens a, .tabs label') }))`)
  expect(sizes.length).toBeGreaterThan(4)
  for (const { text, height, width, isMain } of sizes) {
    expect(height, text).toBeGreaterThanOrEqual(isMain ? 44 : 24)
    expect(width, text).toBeGreaterThanOrEqual(24)
  }
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  expect(await buyer.page.evaluate(overflow)).toBe(0)
  await buyer.close()
})

it('nothing moves where the buyer asked for less motion', async () => {
  const url = harness.put('still', { payment: { ...fullPayment, state: 'seen' } })
  const buyer = await openAsBuyer(browser, url, { reducedMotion: 'reduce' })
  expect(await buyer.page.evaluate('document.getAnimations().length')).toBe(0)
  await buyer.close()
})

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return page.evaluate<string[]>(`
    axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
      .then(({ violations }) => violations.map((it) => it.id + ': ' + it.nodes.map((node) => node.html).join(' ')))`)
}
