import { heroFontSizes, type ShopTheme } from '@sluice/protocol/api/shop.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Storefronts, startStorefronts } from '../support/api/pages.ts'
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { stocked } from '../support/browser/shelf-stores.ts'
import { logoPicture } from '../support/browser/themes.ts'
import { findFaintText, violations } from '../support/browser/violations.ts'

let context: Storefronts
let browser: TestBrowser
beforeAll(async () => {
  ;[context, browser] = await Promise.all([startStorefronts(), openBrowser()])
  context.pictures.image = await logoPicture()
})
afterAll(async () => {
  await browser?.close()
  await context?.close()
})

const looks: Readonly<Record<string, Partial<ShopTheme>>> = {
  berry: {
    primaryColor: '#9d174d',
    secondaryColor: '#fdf2f8',
    textColor: '#3b0a1f',
    fontFamily: 'Playfair Display',
  },
  glare: {
    primaryColor: 'yellow',
    secondaryColor: '#fff',
    textColor: '#ffffcc',
    accentColor: 'hsl(60, 100%, 80%)',
  },
  night: { primaryColor: '#0a0a14', secondaryColor: '#101020', textColor: '#000', accentColor: '#00f' },
  ghost: {
    primaryColor: 'transparent',
    secondaryColor: 'rgba(255,0,0,0.1)',
    textColor: '#0002',
    accentColor: '#ff00',
  },
}
const packs = ['none', 'restaurant', 'hotel', 'freelancer'] as const

describe.each(Object.entries(looks))('point 42: the storefront in the theme %s', (name, theme) => {
  it('can be read in every industry pack, light and dark, whatever was chosen', async () => {
    for (const pack of packs) {
      const arrangement = pack === 'none' ? 'featured_first' : 'grid'
      const store = await context.addStore({ slug: `${name}-${pack}`, ...stocked(pack), theme, arrangement })
      const { page, problems, close } = await openAsBuyer(browser, 'about:blank')
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.goto(store.url)
        expect(await findFaintText(page), `${pack}, ${colorScheme}`).toEqual([])
        await page.locator('.add').last().hover()
        expect(await findFaintText(page), `${pack}, ${colorScheme}, hovered`).toEqual([])
        if (pack === 'none') {
          await page.locator('form .add').last().click()
          await page.getByText('is in your cart').waitFor()
          expect(await findFaintText(page), `${colorScheme}, added`).toEqual([])
        }
        await page.goto(`${store.url}/p0`)
        expect(await findFaintText(page), `${pack}, ${colorScheme}, product`).toEqual([])
        expect(await violations(page)).toEqual([])
      }
      expect(problems).toEqual([])
      await close()
    }
  })
})

it('every size of the title is another, the smallest first', async () => {
  const sizes: number[] = []
  for (const heroFontSize of heroFontSizes) {
    const store = await context.addStore({ slug: `size-${heroFontSize}`, theme: { heroFontSize } })
    const { page, close } = await openAsBuyer(browser, store.url)
    sizes.push(
      Number.parseFloat(
        await page
          .locator('h1')
          .evaluate((it) => it.ownerDocument.defaultView?.getComputedStyle(it).fontSize ?? ''),
      ),
    )
    await close()
  }
  expect(sizes).toEqual([...new Set(sizes)].toSorted((a, b) => a - b))
})

it('logo, cover and pictures come from addresses of ours, and nothing from anywhere else', async () => {
  const images = ['https://pictures.example/1.jpg', 'https://pictures.example/2.jpg']
  const store = await context.addStore({
    slug: 'pictures',
    theme: {
      brandLogoUrl: 'https://pictures.example/logo.png',
      coverPhotoUrl: 'https://pictures.example/cover.jpg',
      logoShape: 'circle',
    },
    products: [{ id: 'guji', sku: 'GUJI', name: 'Guji', priceUsd: 18, images }],
  })
  const { page, problems, close } = await openAsBuyer(browser, store.url)
  const asked: string[] = []
  page.on('request', (request) => void asked.push(request.url()))
  await page.reload()
  const shown = () =>
    page.evaluate<[string, number][]>(
      `[...document.images].map((it) => [new URL(it.currentSrc).pathname, it.naturalWidth])`,
    )
  const owner = store.wallet.toLowerCase()
  const areLoaded = async () => (await shown()).every(([, width]) => width > 0)
  await expect.poll(areLoaded).toBe(true)
  const front = await shown()
  expect(front.map(([path]) => path.split('/').slice(0, 4).join('/'))).toEqual([
    `/images/${owner}/logo`,
    `/images/${owner}/cover`,
    `/images/${owner}/product.0.guji`,
  ])
  expect(await page.locator('.top .mark.round').count()).toBe(1)
  expect(await page.locator('meta[property="og:image"]').getAttribute('content')).toContain(
    `/images/${owner}/cover/`,
  )
  await page.goto(`${store.url}/guji`)
  expect(await page.locator('.gallery img').count()).toBe(2)
  await expect.poll(areLoaded).toBe(true)
  expect(await violations(page)).toEqual([])
  expect(asked.filter((url) => !url.startsWith(context.api.url))).toEqual([])
  expect(problems).toEqual([])
  await close()
})
