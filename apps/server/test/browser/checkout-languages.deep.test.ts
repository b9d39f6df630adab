import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localeFacts, locales } from '../../src/pages/messages/locales.ts'
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { addresses, makeAttempt } from '../support/browser/checkout-views.ts'
import { type PageHarness, startPageHarness } from '../support/browser/page-harness.ts'

let harness: PageHarness
let browser: TestBrowser
beforeAll(async () => {
  ;[harness, browser] = await Promise.all([startPageHarness(), openBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await harness?.close()
})

const large = (id: string) =>
  harness.put(id, (now) => ({
    totalUsd: 1_234.5,
    customerTotalUsd: 1_234.5,
    attempt: makeAttempt('USDC', now, { remaining: '1234500000' }),
  }))

describe('point 41: a page in another language', () => {
  it.each([
    ['?lang=de', {}, 'de', 'ltr', '1.234,50 USDC', '1.234,50 $', 'bezahlen'],
    ['', { locale: 'de-AT' }, 'de', 'ltr', '1.234,50 USDC', '1.234,50 $', 'bezahlen'],
    ['?lang=ar', {}, 'ar', 'rtl', '1,234.50 USDC', '1,234.50', 'ادفع'],
    ['?lang=ar', { locale: 'de-DE' }, 'ar', 'rtl', '1,234.50 USDC', '1,234.50', 'ادفع'],
    ['?lang=xx', {}, 'en', 'ltr', '1,234.50 USDC', '$1,234.50', 'Pay'],
  ])('asked for with "%s" by %j has lang %s, direction %s, its words and its numbers; what is copied stays bare', async (query, device, lang, direction, amount, total, word) => {
    const buyer = await openAsBuyer(browser, large('numbers') + query, device)
    const { page } = buyer
    const root = page.locator('html')
    expect([await root.getAttribute('lang'), await root.getAttribute('dir')]).toEqual([lang, direction])
    expect(await page.locator('h2').first().innerText()).toContain(word)
    expect(await page.locator('#stage .value').innerText()).toBe(amount)
    expect((await page.locator('.amount').innerText()).replace(/\s/g, ' ')).toContain(total)
    const copied = await page.locator('[data-copy]').evaluateAll((all) => all.map((it) => it.dataset.copy))
    expect(copied).toEqual(['1234.5', addresses.deposit])
    expect(await page.locator('.code.link svg').getAttribute('aria-label')).toContain(amount)
    await buyer.close()
  })

  it('is chosen by links, each by its own name, that keep what was asked for and work without scripts', async () => {
    const buyer = await openAsBuyer(browser, `${large('links')}?recipient=${addresses.merchant}&token=USDC`, {
      javaScriptEnabled: false,
    })
    const links = buyer.page.locator('.languages a')
    expect(await links.allInnerTexts()).toEqual(locales.map((locale) => localeFacts[locale].name))
    expect(await buyer.page.locator('.languages [aria-current]').innerText()).toBe('English')
    await links.filter({ hasText: 'Deutsch' }).click()
    await buyer.page.waitForURL(/lang=de/)
    expect(await buyer.page.locator('html').getAttribute('lang')).toBe('de')
    const { searchParams } = new URL(buyer.page.url())
    expect(Object.fromEntries(searchParams)).toEqual({
      recipient: addresses.merchant,
      token: 'USDC',
      lang: 'de',
    })
    expect(await buyer.page.locator('.tokens a').first().getAttribute('href')).toContain('lang=de')
    await buyer.close()
  })

  it.each([
    ['America/New_York', 'en', /12 Jan 2026, 06:45 (EST|GMT-5)/],
    ['Europe/Berlin', 'de', /12\. Jan\. 2026, 12:45 MEZ/],
  ])('in %s shows times of that zone in %s', async (timezoneId, lang, quoted) => {
    const at = Date.UTC(2026, 0, 12, 12)
    const url = harness.put('times', (now) => {
      const attempt = makeAttempt('USDC', now)
      return { attempt: { ...attempt, rate: { ...attempt.rate, quotedAt: at - 900_000 } } }
    })
    const buyer = await openAsBuyer(browser, `${url}?lang=${lang}`, { timezoneId })
    expect(await buyer.page.locator('.rates').innerText()).toMatch(quoted)
    const held = buyer.page.locator('.held time')
    expect(await held.innerText()).toMatch(/^\d\d:\d\d \S+$/)
    expect(await held.innerText()).not.toContain('UTC')
    await buyer.close()
  })
})
