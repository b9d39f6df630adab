import type { ProductView } from '@sluice/protocol/api/inventory.ts'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ApiError } from '../../src/kernel/api-error.ts'
import { openBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { startPageHarness } from '../support/browser/page-harness.ts'
import {
  caseNumber,
  madeBuyer,
  madePayment,
  makeCase,
  makeClaimable,
} from '../support/browser/receipt-views.ts'
import { shelfShop } from '../support/browser/shelf-stores.ts'
import { hostileTheme } from '../support/browser/themes.ts'
import { perFile } from '../support/per-file.ts'

const harness = perFile(startPageHarness)
const browser = perFile(openBrowser)

/** The appearance does not matter here, and small pages render fast. */
const small = { viewport: { width: 480, height: 400 } }

const hostileTexts: readonly string[] = [
  `<script>ran('script')</script>`,
  `</title></style></script><script>ran('end tag')</script>`,
  `"><img src=x onerror=ran('double')>`,
  `'><img src=x onerror=ran('single')>`,
  `\`><img src=x onerror=ran('backtick')>`,
  `' autofocus onfocus='ran("attribute")' x='`,
  `" autofocus onfocus="ran('attribute')" style="position:fixed;inset:0" x="`,
  `</textarea></select></template></noscript><svg onload=ran('svg')>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=ran('mutation')>`,
  `<iframe srcdoc="<script>parent.ran('frame')</script>"></iframe>`,
  `<a href="javascript:ran('link')">x</a><base href="https://evil.example/">`,
  `javascript:ran('address')//https://x`,
  `data:text/html,<script>ran('data')</script>`,
  `red;}</style><script>ran('colour')</script><style>*{display:none}`,
  `url(https://evil.example/x.png)`,
  `@import "https://evil.example/x.css"; expression(ran('old'))`,
  `{name} {x, plural, other {<strong>ran('icu')</strong>}} '{'`,
  `\u202e<script>ran('turned')</script>\u2028\u2029`,
  `<meta http-equiv=refresh content="0;url=https://evil.example/"><link rel=stylesheet href=//evil.example>`,
]

const payment = makeClaimable()

test.each(
  hostileTexts,
)('%j is text, or nothing, in every field of receipts, claims and storefronts', async (text) => {
  harness.looks.theme = hostileTheme(text)
  const { page, problems, close } = await openAsBuyer(browser, 'about:blank', small)
  const ran: string[] = []
  await page.exposeFunction('ran', (what: string) => void ran.push(what))
  page.on('dialog', (dialog) => void dialog.dismiss().then(() => ran.push('dialog')))
  const strange: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${harness.url}/`) && url !== 'about:blank') strange.push(url)
  })
  for (const url of [putReceipt(text), ...putClaims(text)]) {
    await page.goto(url)
    await expectTame(page)
  }
  await claimWith(page, text)
  await expectTame(page)
  const other = (['restaurant', 'hotel', 'freelancer'] as const)[hostileTexts.indexOf(text) % 3] ?? 'hotel'
  for (const pack of ['none', other] as const) {
    const urls = await crawl(page, putShop(text, pack), text)
    expect(urls.length).toBeGreaterThan(3)
  }
  expect({ ran, strange, problems: problems.filter((each) => !/status of 40[04]/.test(each)) }).toEqual({
    ran: [],
    strange: [],
    problems: [],
  })
  await close()
})

async function expectTame(page: Page): Promise<void> {
  await page.mouse.move(180, 260)
  const found = await page.evaluate<string[]>(`[...document.querySelectorAll('*')].flatMap((it) => [
    ...[...it.attributes].filter(({ name }) => /^on|^style$|^srcdoc$/.test(name)).map(({ name }) => name),
    ...(it.matches('script') && !/^\\/assets\\/[\\w.-]+\\.js$/.test(it.getAttribute('src') ?? '') ? ['script'] : []),
    ...(it.matches('img') && !/^\\/(images|assets)\\//.test(it.getAttribute('src') ?? '') ? ['img'] : []),
    ...(it.matches('base, iframe, object, embed, meta[http-equiv], math') ? [it.tagName] : []),
    ...(it.matches('a[href], form[action], link[href]') && !/^(https?:|mailto:|tel:|\\/|#|\\?|$)/.test(it.getAttribute('href') ?? it.getAttribute('action') ?? '') ? [it.outerHTML] : []),
  ])`)
  expect([page.url(), found]).toEqual([page.url(), []])
}

function putReceipt(text: string): string {
  return harness.putReceipt(text.slice(0, 60), {
    brandName: text,
    lines: [{ label: text, qty: 1, amount: 1 }],
    tax: { amount: 1, rate: null, jurisdictionCode: text },
    buyer: { ...madeBuyer, name: text, email: text, phone: text, address: [text] },
    valuation: { unit: text, usdPerUnit: 1, quotedAt: 0, provider: text },
    chain: { name: text, explorerUrl: null },
    payments: [{ ...madePayment, payer: text, transactionHash: text, token: text }],
  })
}

function putClaims(text: string): string[] {
  harness.claims.payments = [payment]
  harness.claims.cases.set(
    caseNumber,
    makeCase({ refundAddress: text, chain: { name: text, explorerUrl: text } }),
  )
  const value = encodeURIComponent(text)
  return [
    `${harness.url}/claim/${caseNumber}?lang=${value}`,
    `${harness.url}/claim?hash=${value}&log=${value}`,
    `${harness.url}/claim?hash=${payment.transactionHash}&lang=${value}`,
    `${harness.url}/claim/${value}`,
    `${harness.url}/receipt/${value}?access=${value}&lang=${value}`,
    `${harness.url}/${value}`,
  ]
}

async function claimWith(page: Page, text: string): Promise<void> {
  const issues = ['refundAddress', 'contact', 'note'].map((path) => ({ path, message: text }))
  harness.error.claim = new ApiError('invalid_input', text, { issues })
  await page.goto(`${harness.url}/claim?hash=${payment.transactionHash}`)
  await page.locator('details.by-word summary').click()
  await page.locator('#refundAddress').fill(text)
  await page.locator('#contact').fill(text)
  await page.locator('#note').fill(text)
  await page.locator('details.by-word .button').click()
  await page.locator('details.by-word [role=alert]').waitFor()
  delete harness.error.claim
  expect(await page.locator('#contact').inputValue()).toBe(text.trim())
}

function putShop(text: string, pack: 'none' | 'restaurant' | 'hotel' | 'freelancer'): string {
  const slug = `hostile-${pack}`
  const shop = shelfShop(slug, pack, pack === 'none' ? 'groups' : 'carousel')
  const products = shop.products.map(
    (product, i): ProductView => ({
      ...product,
      id: i === 0 ? text.slice(0, 60) : product.id,
      sku: text,
      name: text,
      description: text,
      category: i % 2 ? text : null,
      tags: ['featured', text],
      images: [text],
      attributes: { [text]: text, list: [text, { deep: text }] },
    }),
  )
  harness.shops.set(slug, {
    ...shop,
    products,
    name: text,
    description: text,
    bio: text,
    links: [{ label: text, url: text }],
  })
  return `${harness.url}/shop/${slug}`
}

async function crawl(page: Page, start: string, text: string): Promise<string[]> {
  const seen: string[] = []
  const value = encodeURIComponent(text)
  const waiting = [
    start,
    `${start}?q=${value}&category=${value}&arrival=${value}`,
    `${start}/cart?added=${value}`,
  ]
  while (waiting.length > 0 && seen.length < 8) {
    const url = waiting.shift() ?? start
    if (seen.includes(url)) continue
    seen.push(url)
    await page.goto(url)
    await expectTame(page)
    const links = await page
      .locator('main a[href^="/shop/"]')
      .evaluateAll((all) => all.map((it) => (it as unknown as { href: string }).href))
    waiting.push(...links)
  }
  return seen
}
