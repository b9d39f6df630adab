import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Store, type Storefronts, startStorefronts } from '../support/api/pages.ts'
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts'
import { focusedText, listen, openAsBuyer } from '../support/browser/checkout-browser.ts'
import { stocked } from '../support/browser/shelf-stores.ts'
import { violations } from '../support/browser/violations.ts'

let context: Storefronts
let browser: TestBrowser
let store: Store
beforeAll(async () => {
  ;[context, browser] = await Promise.all([startStorefronts(), openBrowser()])
  store = await context.addStore({ slug: 'harbour', ...stocked('none') })
})
afterAll(async () => {
  await browser?.close()
  await context?.close()
})

const open = (path = '', options = {}) => openAsBuyer(browser, store.url + path, options)
const add = (page: Page, name: string) => page.getByRole('button', { name: `Add: ${name}` }).click()
const count = (page: Page) => page.locator('#cart-link').getAttribute('aria-label')

describe('with scripts', () => {
  it('point 37: something is added without leaving the page, and told once', async () => {
    const { page, problems, close } = await open()
    const heard = await listen(page)
    await add(page, 'Night Watch')
    await page.getByText('Night Watch is in your cart.').waitFor()
    expect(page.url()).toBe(store.url)
    expect(await count(page)).toBe('Cart: 1 item')
    await expect.poll(heard).toEqual(['status: Night Watch is in your cart. See your cart'])
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Add: Night Watch')
    await add(page, 'Kettle')
    await page.getByText('Kettle is in your cart.').waitFor()
    await page.reload()
    expect(await count(page)).toBe('Cart: 2 items')
    expect(problems).toEqual([])
    await close()
  })

  it('what cannot be added is told as an alert', async () => {
    const { page, close } = await open('/p1')
    await page.fill('#qty', '1')
    await context.put(store, { sku: 'sku-1', name: 'Colombia La Palma', priceUsd: 17, stockQty: 0 })
    const heard = await listen(page)
    await page.getByRole('button', { name: 'Add to your cart' }).click()
    await page.getByText('Colombia La Palma is sold out.').waitFor()
    await expect.poll(heard).toEqual(['alert: Colombia La Palma is sold out.'])
    expect(await count(page)).toBe('Cart: empty')
    await context.put(store, { sku: 'sku-1', name: 'Colombia La Palma', priceUsd: 17, stockQty: 3 })
    await close()
  })

  it('a quantity and a place change the sums at once, and the focus stays', async () => {
    const { page, problems, close } = await open()
    await add(page, 'Night Watch')
    await page.getByText('is in your cart').waitFor()
    await add(page, 'Colombia La Palma')
    await page.getByText('Colombia La Palma is in your cart').waitFor()
    await page.goto(`${store.url}/cart`)
    const quantity = page.getByLabel('Quantity: Night Watch')
    await quantity.fill('3')
    await quantity.press('Enter')
    await page.getByText('$60.50').first().waitFor()
    const isFocused = (it: { ownerDocument: { activeElement: unknown } }) =>
      it === it.ownerDocument.activeElement
    await expect.poll(() => quantity.evaluate(isFocused)).toBe(true)
    await page.getByLabel('Country or region (for tax)').selectOption({ label: 'California' })
    await page.getByText('$61.73').waitFor()
    await page.getByRole('button', { name: 'Remove: Night Watch' }).click()
    await page.getByText('$18.23').waitFor()
    await expect.poll(() => page.locator('#cart').evaluate(isFocused)).toBe(true)
    await page.reload()
    expect(await page.locator('.total').innerText()).toContain('$18.23')
    expect(problems).toEqual([])
    await close()
  })

  it('a form that cannot be sent by the script is sent by the browser', async () => {
    const { page, close } = await open()
    let isFirst = true
    await page.route('**/cart', (route) => {
      const isScript = route.request().resourceType() === 'fetch'
      if (!isScript || !isFirst) return route.continue()
      isFirst = false
      return route.abort()
    })
    await add(page, 'Kettle')
    await page.waitForURL(/\/cart\?added=/)
    expect(await count(page)).toBe('Cart: 1 item')
    await close()
  })
})

describe('without scripts', () => {
  it('everything up to the order works: browse, search, add, change, remove, check out', async () => {
    const { page, problems, close } = await open('', { javaScriptEnabled: false })
    await page.getByRole('searchbox').fill('grapefruit')
    await page.getByRole('searchbox').press('Enter')
    await expect
      .poll(() => page.locator('.entry').allInnerTexts())
      .toEqual([expect.stringContaining('Kenya')])
    await page.getByRole('link', { name: 'Blends' }).click()
    await page.getByRole('link', { name: 'Night Watch' }).click()
    await page.getByLabel('Quantity').fill('2')
    await page.getByRole('button', { name: 'Add to your cart' }).click()
    expect(await page.getByRole('status').innerText()).toBe('Night Watch is in your cart.')
    await page.getByRole('link', { name: 'Continue shopping' }).click()
    await add(page, 'Kettle')
    await page.getByLabel('Quantity: Night Watch').fill('1')
    await page.getByRole('button', { name: 'Update' }).click()
    await page.locator('.total', { hasText: '$86.50' }).waitFor()
    await page.getByRole('button', { name: 'Remove: Kettle' }).click()
    await page.locator('.total', { hasText: '$14.50' }).waitFor()
    expect(await page.locator('.scripted:visible').count()).toBe(0)
    expect(problems).toEqual([])
    const paying = page.waitForRequest(/\/pay\/R-/)
    await page.getByRole('button', { name: 'Check out' }).click()
    expect((await paying).url()).toMatch(/\/pay\/R-\w{26}$/)
    await close()
  })

  it('what is taxed asks where, in words beside the field', async () => {
    const { page, close } = await open('/p1', { javaScriptEnabled: false })
    await page.getByRole('button', { name: 'Add to your cart' }).click()
    await page.getByLabel('Country or region (for tax)').selectOption({ label: 'Germany' })
    await page.getByRole('button', { name: 'Check out' }).click()
    expect(await page.getByRole('alert').innerText()).toContain('We added the tax for your region.')
    expect(await page.locator('.rows').last().innerText()).toMatch(/Tax\s+\$3\.23\s+Total\s+\$20\.23/)
    await close()
  })
})

it('point 33: an order that waits for its payment is shown in the cart, and can be taken back', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, close } = await open('', { colorScheme, viewport: { width: 320, height: 700 } })
    await add(page, 'Kettle')
    await page.getByText('is in your cart').waitFor()
    await page.goto(`${store.url}/cart`)
    const paying = page.waitForRequest(/\/pay\/R-/)
    await page.getByRole('button', { name: 'Check out' }).click()
    const path = new URL((await paying).url()).pathname
    await page.goto(`${store.url}/cart`)
    expect(await page.getByRole('link', { name: 'Continue to payment' }).getAttribute('href')).toBe(path)
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    await page.getByRole('button', { name: 'Cancel the order' }).click()
    await page.getByText('already placed this order').waitFor({ state: 'detached' })
    expect(await page.locator('.line').innerText()).toContain('Kettle')
    await close()
  }
})

describe('a carousel', () => {
  let rails: Store
  beforeAll(async () => {
    rails = await context.addStore({ slug: 'rails', ...stocked('none'), arrangement: 'carousel' })
  })
  const at = (page: Page) =>
    page.getByRole('group', { name: 'Brewing gear: scroll' }).evaluate((it) => it.scrollLeft)

  it('is moved by its buttons, which say where and when there is no further', async () => {
    const { page, close } = await openAsBuyer(browser, rails.url, { viewport: { width: 700, height: 800 } })
    const [back, on] = ['Back in Brewing gear', 'Forward in Brewing gear'].map((name) =>
      page.getByRole('button', { name }),
    )
    expect(await back?.getAttribute('aria-disabled')).toBe('true')
    await on?.click()
    await expect.poll(() => at(page)).toBeGreaterThan(200)
    await expect.poll(() => back?.getAttribute('aria-disabled')).toBe('false')
    const isAtEnd = async () => {
      if ((await on?.getAttribute('aria-disabled')) === 'true') return true
      await on?.click({ force: true })
      return false
    }
    await expect.poll(isAtEnd).toBe(true)
    await close()
  })

  it('point 34: is moved by the arrow keys, and every product in it is reached by Tab', async () => {
    const { page, close } = await openAsBuyer(browser, rails.url, { viewport: { width: 700, height: 800 } })
    const track = page.getByRole('group', { name: 'Brewing gear: scroll sideways for more' })
    await track.focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => at(page)).toBeGreaterThan(0)
    for (let i = 0; i < 9; i++) await page.keyboard.press('Tab')
    expect(await focusedText(page)).toBe('V60 dripper')
    const isSeen = async () => {
      const box = await page.locator('.entry', { hasText: 'V60 dripper' }).boundingBox()
      return box !== null && box.x >= 0 && box.x + box.width <= 700
    }
    await expect.poll(isSeen).toBe(true)
    await close()
  })
})

it('point 34: a purchase by keyboard alone: skip link, product, cart, check out', async () => {
  const { page, close } = await open()
  await page.keyboard.press('Tab')
  expect(await focusedText(page)).toBe('Skip to the products')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  const name = await focusedText(page)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText(`${name} is in your cart.`).waitFor()
  await page.getByRole('link', { name: 'See your cart' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/cart$/)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press('Tab')
    if ((await focusedText(page)) === 'Check out') break
  }
  expect(await focusedText(page)).toBe('Check out')
  const paying = page.waitForRequest(/\/pay\/R-/)
  await page.keyboard.press('Enter')
  await paying
  await close()
})

it('point 35: what has the focus is not hidden under the header', async () => {
  const { page, close } = await open('', { viewport: { width: 800, height: 500 } })
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  const isHidden = () =>
    page.evaluate<boolean>(`(() => {
      const focused = document.activeElement
      const header = document.querySelector('.top')
      return !header.contains(focused) && focused.getBoundingClientRect().top < header.getBoundingClientRect().bottom
    })()`)
  for (let i = 0; i < 20; i++) {
    await page.keyboard.press('Shift+Tab')
    await expect.poll(isHidden, { message: (await focusedText(page)) ?? '' }).toBe(false)
  }
  await close()
})
