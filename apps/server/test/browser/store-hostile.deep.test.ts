import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeShop } from '../../src/shop/change-shop.ts'
import { type Store, type Storefronts, startStorefronts } from '../support/api/pages.ts'
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts'
import { type BuyerPage, openAsBuyer } from '../support/browser/checkout-browser.ts'

let context: Storefronts
let browser: TestBrowser
beforeAll(async () => {
  ;[context, browser] = await Promise.all([startStorefronts(), openBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await context?.close()
})

describe('what merchants and visitors write', () => {
  const evil = [
    `</title><script>ran('tag')</script>`,
    `"><img src=x onerror=ran('attribute')>`,
    `' onmouseover='ran(1)' autofocus onfocus='ran(2)`,
    `</textarea></select></svg><svg onload=ran(3)>`,
    `{name} <b>x</b> '{'{ran}`,
    `javascript:ran(4)`,
    `\u{1F600}]]><style>*{color:red}</style>`,
  ]

  it('runs nowhere, whatever it is, and breaks no policy', async () => {
    const shop = await context.addStore({ slug: 'hostile', arrangement: 'groups' })
    const text = evil.join(' ')
    // Writes to the database directly, since old rows may contain values that the API rejects today.
    await changeShop(context.api.needs, shop.wallet, {
      name: text.slice(0, 200),
      description: text,
      bio: text,
      links: evil.map((url) => ({ label: url, url })),
    })
    for (const [i, name] of evil.entries()) {
      const attributes = { [name]: name, list: [name, { deep: name }] }
      await context.put(shop, {
        id: `evil${i}`,
        sku: name.slice(0, 64),
        name,
        priceUsd: 1,
        description: text,
        attributes,
        category: name,
        tags: [`x${i}`],
      })
    }
    for (const pack of ['restaurant', 'hotel', 'freelancer', null] as const) {
      await changeShop(context.api.needs, shop.wallet, { industryPack: pack })
      const visitor = await openHostile(shop)
      for (const path of ['', '/evil0', '/evil3', '/cart', ...evil.flatMap(questions)])
        await visitor.visit(path)
      await visitor.close()
    }
  })

  async function openHostile(shop: Store) {
    const visitor: BuyerPage = await openAsBuyer(browser, shop.url)
    const { page, problems } = visitor
    const ran: string[] = []
    await page.exposeFunction('ran', (what: string) => void ran.push(what))
    page.on('dialog', (dialog) => void dialog.dismiss().then(() => ran.push('dialog')))
    return {
      async visit(path: string) {
        const response = await page.goto(shop.url + path)
        expect([path, response?.status()]).toEqual([path, 200])
        await page.mouse.move(200, 300)
        expect([path, ran, problems]).toEqual([path, [], []])
        expect(
          await page
            .locator('[href^="javascript:" i], [onerror], [onload], [onfocus], main script, main style')
            .count(),
        ).toBe(0)
      },
      close: visitor.close,
    }
  }

  function questions(text: string): string[] {
    const value = encodeURIComponent(text)
    return [
      `?q=${value}`,
      `?category=${value}`,
      `?arrival=${value}&departure=${value}`,
      `/cart?added=${value}&trouble=${value}`,
    ]
  }
})
