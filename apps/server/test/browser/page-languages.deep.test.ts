import { beforeAll, describe, expect, test } from 'vitest'
import { type Locale, localeFacts, locales } from '../../src/pages/messages/locales.ts'
import { openBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { startPageStand } from '../support/browser/page-stand.ts'
import { openState } from '../support/browser/page-states.ts'
import { violations } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'

const stand = perFile(startPageStand)
const browser = perFile(openBrowser)
const narrow = { viewport: { width: 320, height: 700 } }

const pages = [
  ['receipt-partly-refunded', 'Download PDF'],
  ['claim-found', 'Find payment'],
  ['case-open', 'Claim sent to the merchant'],
  ['store-groups', 'All products'],
  ['store-hotel-dates', 'Check-in'],
  ['store-cart', 'Your cart'],
  ['start-local', 'Accept crypto payments, paid directly to you'],
  ['unknown-page', 'Page not found'],
] as const

/** Hashes, addresses, receipt numbers and case numbers, which buyers copy and compare. */
const rawValues = "[...document.querySelectorAll('.mono')].map((it) => it.textContent)"

describe.each(pages)('point 41: %s', (name, english) => {
  let raw: string[]
  const visitor = perFile(() => openAsBuyer(browser, 'about:blank', narrow))
  beforeAll(async () => {
    const { page } = visitor
    await openState(page, stand, name)
    expect(await page.content()).toContain(english)
    raw = await page.evaluate<string[]>(rawValues)
  })

  test.each(
    locales.filter((locale) => locale !== 'en'),
  )('in %s is whole at 320 pixels, of its own direction, and has every raw value as it was', async (locale) => {
    const { page } = visitor
    await openState(page, stand, name, locale)
    const root = page.locator('html')
    expect([await root.getAttribute('lang'), await root.getAttribute('dir')]).toEqual([
      locale,
      localeFacts[locale].direction,
    ])
    expect(await page.locator('body').innerText()).not.toContain(english)
    expect(await page.evaluate(rawValues)).toEqual(raw)
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate(overflow)).toBe(0)
    expect(await violations(page)).toEqual([])
  })
})

describe('point 41: numbers and dates', () => {
  const written: readonly (readonly [Locale, string, string])[] = [
    ['en', '€80.40', '24 Nov 2025'],
    ['de', '80,40\u00a0€', '24. Nov. 2025'],
    ['fr', '80,40\u00a0€', '24 nov. 2025'],
    ['pt', '€\u00a080,40', '24 de nov. de 2025'],
    ['ja', '€80.40', '2025年11月24日'],
  ]

  test.each(written)('of a receipt in %s are %s and %s', async (locale, amount, date) => {
    const { page, close } = await openAsBuyer(browser, 'about:blank', { timezoneId: 'UTC' })
    await openState(page, stand, 'receipt-partly-refunded', locale)
    const text = await page.locator('main').innerText()
    expect(text).toContain(amount)
    expect(text).toContain(date)
    await close()
  })

  test('are those of Accept-Language where the address names no language, and no claim loses it', async () => {
    const { page, close } = await openAsBuyer(browser, 'about:blank', { locale: 'es-MX' })
    await openState(page, stand, 'receipt-partly-refunded')
    expect(await page.locator('html').getAttribute('lang')).toBe('es')
    expect(await page.locator('main').innerText()).toContain('80,40\u00a0€')
    await openState(page, stand, 'claim-search', 'de')
    await page.locator('#hash').fill('hello')
    await page.locator('.search .button').click()
    await page.getByRole('alert').waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    await openState(page, stand, 'claim-bad-form', 'fr')
    expect(await page.locator('html').getAttribute('lang')).toBe('fr')
    await close()
  })

  test('of dollars among Arabic letters keep their sign in its order', async () => {
    const { page, close } = await openAsBuyer(browser, 'about:blank', narrow)
    await openState(page, stand, 'receipt-paid', 'ar')
    const places = await page.locator('.sum strong').evaluate((it) => {
      const text = it.firstChild as unknown as { data: string }
      const range = it.ownerDocument.createRange()
      return [text.data.indexOf('US'), text.data.indexOf('$')].map((at) => {
        range.setStart(it.firstChild as never, at)
        range.setEnd(it.firstChild as never, at + 1)
        return range.getBoundingClientRect().x
      })
    })
    expect(places[0]).toBeLessThan(places[1] ?? 0)
    await close()
  })
})
