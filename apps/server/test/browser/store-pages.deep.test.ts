import { arrangements, industryPacks } from '@sluice/protocol/api/shop.ts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Store, type Storefronts, startStorefronts } from '../support/api/pages.ts'
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { stocked } from '../support/browser/shelf-stores.ts'
import { violations } from '../support/browser/violations.ts'

let context: Storefronts
let browser: TestBrowser
beforeAll(async () => {
  ;[context, browser] = await Promise.all([startStorefronts(), openBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await context?.close()
})

const packs = ['none', ...industryPacks] as const
const narrow = { viewport: { width: 320, height: 700 } }
const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

const shapeOf = (page: Page) =>
  page.evaluate<string>(`JSON.stringify([...document.querySelectorAll('#products section, #products .shelf, #products .entry')]
    .map((it) => it.className.replace(/\\b(grid|featured_first|groups|carousel)\\b/, '') + Math.round(it.getBoundingClientRect().x) + ' ' +
      Math.round(it.getBoundingClientRect().width) + ' ' + getComputedStyle(it).overflowX))`)

describe.each(packs)('the storefront of the industry pack %s', (pack) => {
  const stores = new Map<string, Store>()
  beforeAll(async () => {
    for (const arrangement of arrangements) {
      const slug = `${pack}-${arrangement.replace('_', '-')}`
      stores.set(arrangement, await context.addStore({ slug, arrangement, ...stocked(pack) }))
    }
  })

  it.each(
    arrangements,
  )('point 33: has no violation of WCAG 2.2 AA, light and dark, arranged as %s', async (arrangement) => {
    const { page, problems, close } = await openAsBuyer(browser, stores.get(arrangement)?.url ?? '')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await violations(page)).toEqual([])
    }
    expect(problems).toEqual([])
    await close()
  })

  it('looks different in each of the four arrangements', async () => {
    const shapes = new Set<string>()
    const { page, close } = await openAsBuyer(browser, 'about:blank')
    for (const store of stores.values()) {
      await page.goto(store.url)
      shapes.add(await shapeOf(page))
    }
    await close()
    expect(shapes.size).toBe(4)
  })

  it('point 38, point 36: fits 320 pixels in every arrangement, with targets that can be hit', async () => {
    const { page, close } = await openAsBuyer(browser, 'about:blank', narrow)
    for (const [arrangement, { url }] of stores) {
      await page.goto(url)
      expect([arrangement, await page.evaluate(overflow)]).toEqual([arrangement, 0])
      for (const { text, height, width, isMain } of await targetsOf(page)) {
        expect(height, text).toBeGreaterThanOrEqual(isMain ? 44 : 24)
        expect(width, text).toBeGreaterThanOrEqual(24)
      }
    }
    await close()
  })

  it('point 33, point 44: keeps to it in the pages of a product and of the cart, empty and full', async () => {
    const { url } = stores.get('grid') as Store
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, problems, close } = await openAsBuyer(browser, `${url}/p1`, { colorScheme, ...narrow })
      const check = async () => {
        expect(await violations(page)).toEqual([])
        expect([page.url(), await page.evaluate(overflow)]).toEqual([page.url(), 0])
      }
      await check()
      await fillDates(page)
      await page.locator('form.order button').click()
      await page.getByText(/is in your/).waitFor()
      await check()
      await page.goto(`${url}/cart`)
      await check()
      await page.getByRole('button', { name: /^Remove/ }).click()
      await page.getByText(/is empty|have not chosen/).waitFor()
      await check()
      expect(problems).toEqual([])
      await close()
    }
  })
})

it('point 33: what is not found has a page of its own, with its status', async () => {
  const store = await context.addStore({ slug: 'known', ...stocked('none') })
  const { page, close } = await openAsBuyer(browser, 'about:blank')
  for (const [path, heading] of [
    [`${store.url}/unknown`, 'Product not available'],
    [`${context.api.url}/shop/unknown`, 'Shop not found'],
    [`${store.url}?q=nothing-like-it`, 'Results for “nothing-like-it”'],
  ] as const) {
    await page.goto(path)
    expect(await page.locator('h1').innerText()).toBe(heading)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await violations(page)).toEqual([])
    }
  }
  await close()
})

it('point 40: what is sold out or scarce says so in words', async () => {
  const store = await context.addStore({ slug: 'words', ...stocked('none') })
  const { page, close } = await openAsBuyer(browser, store.url)
  const entry = (name: string) => page.locator('.entry', { hasText: name })
  expect(await entry('Colombia').innerText()).toContain('Only 3 left')
  expect(await entry('Kenya').innerText()).toContain('Sold out')
  expect(await entry('Kenya').getByRole('button').count()).toBe(0)
  expect(await entry('First Light').innerText()).not.toContain('left')
  await close()
})

it('point 41: the page has the language that is asked for, its numbers, and its direction', async () => {
  const store = await context.addStore({ slug: 'words-of', ...stocked('none'), arrangement: 'carousel' })
  const german = await openAsBuyer(browser, `${store.url}?lang=de`)
  expect(await german.page.locator('html').getAttribute('lang')).toBe('de')
  expect(await german.page.locator('.entry', { hasText: 'Night Watch' }).locator('.amount').innerText()).toBe(
    '14,50\u00a0$',
  )
  await german.close()
  const arabic = await openAsBuyer(browser, store.url, { locale: 'ar', ...narrow })
  expect(await arabic.page.locator('html').getAttribute('dir')).toBe('rtl')
  const mark = await arabic.page.locator('.top .mark').boundingBox()
  const cart = await arabic.page.locator('#cart-link').boundingBox()
  expect(mark?.x).toBeGreaterThan(cart?.x ?? 0)
  expect(await arabic.page.evaluate(overflow)).toBe(0)
  await arabic.close()
})

it('point 39: nothing moves where the visitor asked for less motion', async () => {
  const store = await context.addStore({ slug: 'still', ...stocked('none'), arrangement: 'carousel' })
  const { page, close } = await openAsBuyer(browser, store.url, { reducedMotion: 'reduce' })
  await page.locator('.entry').first().hover()
  expect(await page.evaluate('document.getAnimations().length')).toBe(0)
  const behavior = "getComputedStyle(document.querySelector('.track')).scrollBehavior"
  expect(await page.evaluate(behavior)).toBe('auto')
  await close()
})

async function fillDates(page: Page): Promise<void> {
  if ((await page.locator('#arrival').count()) === 0) return
  await page.fill('#arrival', '2026-03-01')
  await page.fill('#departure', '2026-03-04')
}

function targetsOf(page: Page) {
  return page.evaluate<{ text: string; height: number; width: number; isMain: boolean }[]>(`
    [...document.querySelectorAll('a, button, input:not([type=hidden]), select')]
      .filter((it) => it.checkVisibility() && !it.matches('.skip, h3 a'))
      .map((it) => ({ text: it.outerHTML, height: it.getBoundingClientRect().height,
        width: it.getBoundingClientRect().width, isMain: it.matches('.button, .add, .cart-link, input') }))`)
}
