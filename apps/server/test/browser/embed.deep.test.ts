import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readPage } from '../../../../scripts/guide/read-blocks.ts'
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import {
  type MerchantPage,
  type PageHarness,
  serveMerchantPage,
  startPageHarness,
} from '../support/browser/page-harness.ts'

let harness: PageHarness
let browser: TestBrowser
let payUrl: string
const open: { close(): Promise<void> }[] = []
beforeAll(async () => {
  ;[harness, browser] = await Promise.all([startPageHarness(), openBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await harness?.close()
})
beforeEach(() => {
  payUrl = harness.put('order-1')
})
afterEach(async () => {
  harness.allowed.origins = []
  for (const each of open.splice(0).reverse()) await each.close()
})

const full = {
  token: 'USDC',
  decimals: 6,
  due: '25000000',
  received: '25000000',
  transactionHash: `0x${'5e'.repeat(32)}`,
}
const paid = { status: 'paid', payment: { ...full, state: 'paid' } }

const blockOf = (language: string) =>
  readPage('docs/embed.md').find((block) => block.language === language)?.text ?? ''

const withButton = () => `${blockOf('html')
  .replace(/href="[^"]*"/, `id="pay" href="${payUrl}"`)
  .replace('https://pay.example.com', harness.url)}
<script>
  globalThis.heard = []
  globalThis.messages = []
  for (const name of ['state', 'paid', 'closed', 'leave'])
    document.addEventListener('sluice:' + name, (event) => heard.push([name, event.detail.state, event.detail.url ?? '', event.target.id]))
  addEventListener('message', (event) => messages.push([event.origin, event.data]))
</script>`

async function serve(
  body: (origin: string) => string,
  headers?: Record<string, string>,
): Promise<MerchantPage> {
  const page = await serveMerchantPage(body, headers)
  open.push(page)
  return page
}

async function visit(url: string): Promise<{ page: Page; problems: string[] }> {
  const buyer = await openAsBuyer(browser, url)
  open.push(buyer)
  return buyer
}

const heard = (page: Page) => page.evaluate<string[][]>('heard')
const checkoutIn = (page: Page) => page.frameLocator('dialog iframe')

describe('a payment button on a page of the merchant', () => {
  test('opens the checkout over the page, which hears of the payment and of the end', async () => {
    const shop = await serve(withButton)
    harness.allowed.origins = [shop.origin, 'https://other.example']
    const { page, problems } = await visit(shop.url)
    await page.getByRole('link', { name: 'Pay $25.00' }).click()
    await checkoutIn(page).getByRole('heading', { level: 1 }).waitFor()
    expect(page.url()).toBe(shop.url)
    await expect.poll(() => heard(page)).toEqual([['state', 'open', '', 'pay']])
    harness.put('order-1', paid)
    await expect
      .poll(() => heard(page))
      .toEqual([
        ['state', 'open', '', 'pay'],
        ['state', 'paid', '', 'pay'],
        ['paid', 'paid', '', 'pay'],
      ])
    await page.getByRole('button', { name: 'Close the checkout' }).click()
    await expect.poll(async () => (await heard(page)).at(-1)).toEqual(['closed', 'paid', '', 'pay'])
    expect(await page.locator('dialog').count()).toBe(0)
    expect(problems).toEqual([])
  })

  test('takes the keyboard with it: the focus is in the checkout, Esc closes it and gives the focus back', async () => {
    const shop = await serve(withButton)
    harness.allowed.origins = [shop.origin]
    const { page } = await visit(shop.url)
    const focused = () => page.evaluate('document.activeElement.id || document.activeElement.tagName')
    for (const inFrame of [false, true]) {
      await page.locator('#pay').focus()
      await page.keyboard.press('Enter')
      await checkoutIn(page).getByRole('heading', { level: 1 }).waitFor()
      expect(['BUTTON', 'IFRAME']).toContain(await focused())
      if (inFrame) await checkoutIn(page).locator('main a, main button, main summary').first().focus()
      await page.keyboard.press('Escape')
      await expect.poll(() => page.locator('dialog').count()).toBe(0)
      await expect.poll(focused).toBe('pay')
    }
  })

  test('takes the whole page along where the buyer goes back to the shop, unless the page decides otherwise', async () => {
    const back = await serve(() => '<h1>Thank you</h1>')
    const shop = await serve(withButton)
    harness.allowed.origins = [shop.origin]
    harness.put('order-1', { ...paid, returnUrl: back.url })
    const { page } = await visit(shop.url)
    await page.evaluate(
      `document.addEventListener('sluice:leave', (event) => event.preventDefault(), { once: true })`,
    )
    await page.locator('#pay').click()
    const link = checkoutIn(page).locator('a[data-return]')
    await link.click()
    await expect.poll(() => heard(page)).toContainEqual(['leave', 'paid', back.url, 'pay'])
    expect(page.url()).toBe(shop.url)
    await link.click()
    await page.waitForURL(back.url)
  })

  test("runs the merchant's script after the payment, and takes the whole page where it asks to go", async () => {
    const shop = await serve(withButton)
    harness.allowed.origins = [shop.origin]
    harness.scripts.set('order-1', `location.href = 'https://shop.example/thanks?' + payment.receiptId`)
    harness.put('order-1', paid)
    const { page, problems } = await visit(shop.url)
    await page.evaluate(`document.addEventListener('sluice:leave', (event) => event.preventDefault())`)
    await page.locator('#pay').click()
    const left = ['leave', 'paid', 'https://shop.example/thanks?order-1', 'pay']
    await expect.poll(() => heard(page)).toContainEqual(left)
    harness.scripts.delete('order-1')
    expect(problems).toEqual([])
  })

  test('stays a link for who wants a new tab, and for links that are no checkout of ours', async () => {
    const shop = await serve(
      () => `${withButton()}<a id="else" href="${harness.url}/" data-sluice-pay>Elsewhere</a>`,
    )
    harness.allowed.origins = [shop.origin]
    const { page } = await visit(shop.url)
    const before = harness.tabs.length
    await page.locator('#pay').click({ modifiers: ['Control'] })
    // Checks the requests to the service, since the driver may miss the navigation of a background tab.
    await expect.poll(() => harness.tabs.slice(before)).toEqual(['/pay/order-1'])
    expect(page.url()).toBe(shop.url)
    expect(await page.locator('dialog').count()).toBe(0)
    await page.locator('#else').click()
    await expect.poll(() => harness.tabs.slice(before)).toEqual(['/pay/order-1', '/'])
  })

  test('is a link without the script', async () => {
    const shop = await serve(() => `<a id="pay" href="${payUrl}" data-sluice-pay>Pay</a>`)
    const { page } = await visit(shop.url)
    await page.locator('#pay').click()
    await page.waitForURL(payUrl)
  })

  test('works on a page with a strict policy of its own', async () => {
    const policy = `default-src 'none'; script-src ${harness.url} 'nonce-x'; frame-src ${harness.url}; style-src 'none'`
    const shop = await serve(() => withButton().replace('<script>', '<script nonce="x">'), {
      'content-security-policy': policy,
    })
    harness.allowed.origins = [shop.origin]
    const { page, problems } = await visit(shop.url)
    await page.locator('#pay').click()
    await checkoutIn(page).getByRole('heading', { level: 1 }).waitFor()
    expect(await page.evaluate(`getComputedStyle(document.querySelector('dialog')).borderRadius`)).toBe(
      '18px',
    )
    expect(problems).toEqual([])
  })

  test('opens by a script of the page too, which gets how it ended', async () => {
    const shop = await serve(withButton)
    harness.allowed.origins = [shop.origin]
    const { page } = await visit(shop.url)
    await page.evaluate(
      `globalThis.thanked = []; globalThis.showThanks = (id) => thanked.push(id); globalThis.paymentUrl = '${payUrl}'`,
    )
    await page.evaluate(`void (globalThis.ended = (async () => { ${blockOf('js')}; return state })())`)
    await checkoutIn(page).getByRole('heading', { level: 1 }).waitFor()
    harness.put('order-1', paid)
    await expect.poll(() => page.evaluate('thanked')).toEqual(['order-1'])
    await page.getByRole('button', { name: 'Close the checkout' }).click()
    expect(await page.evaluate('ended')).toBe('paid')
  })

  test('stays known to the page when the buyer chooses another token', async () => {
    const shop = await serve(withButton)
    harness.allowed.origins = [shop.origin]
    const { page } = await visit(shop.url)
    await page.locator('#pay').click()
    await checkoutIn(page).getByRole('link', { name: 'ETH' }).click()
    await checkoutIn(page).locator('[data-offer*="ETH"]').waitFor()
    await expect.poll(() => heard(page)).toHaveLength(2)
    harness.put('order-1', paid)
    await expect.poll(async () => (await heard(page)).at(-1)).toEqual(['paid', 'paid', '', 'pay'])
  })
})

describe('a page of a stranger', () => {
  test('gets no frame of the checkout, whatever it says of itself', async () => {
    for (const query of ['', '?embed=https://shop.example', `?embed=${harness.url}`]) {
      const shop = await serve(
        (origin) => `<iframe src="${payUrl}${query}${query ? '' : `?embed=${origin}`}"></iframe>`,
      )
      harness.allowed.origins = ['https://shop.example']
      const { page, problems } = await visit(shop.url)
      await expect.poll(() => problems.length).toBeGreaterThan(0)
      expect(problems.join()).toMatch(/frame-ancestors|X-Frame-Options|refused to/i)
      expect(await page.frames()[1]?.content()).not.toContain('checkout')
    }
  })

  test('with a payment button is left for the checkout', async () => {
    const shop = await serve(withButton)
    harness.allowed.origins = ['https://shop.example']
    const { page } = await visit(shop.url)
    await page.locator('#pay').click()
    await page.waitForURL(payUrl)
  })

  test('hears nothing of a payment that it can show but did not open as itself', async () => {
    const allowed = await serve((origin) => withButton().replace(payUrl, `${payUrl}?from=${origin}`))
    const other = await serve(
      () => `<script>globalThis.messages = []; addEventListener('message', (event) => messages.push(event.data))</script>
<iframe src="${payUrl}?embed=${allowed.origin}"></iframe>`,
    )
    harness.allowed.origins = [allowed.origin, other.origin]
    const { page } = await visit(other.url)
    await page.frameLocator('iframe').getByRole('heading', { level: 1 }).waitFor()
    harness.put('order-1', paid)
    await page
      .frameLocator('iframe')
      .getByRole('heading', { name: 'Payment complete' })
      .waitFor({ timeout: 60_000 })
    expect(await page.evaluate('messages')).toEqual([])
  })

  test('cannot pretend to be the checkout', async () => {
    const shop = await serve(withButton)
    harness.allowed.origins = [shop.origin]
    const { page } = await visit(shop.url)
    await page.locator('#pay').click()
    await expect.poll(() => heard(page)).toHaveLength(1)
    await page.evaluate(
      `postMessage({ sluice: 'checkout', event: 'state', receiptId: 'order-1', state: 'paid' }, '*')`,
    )
    await expect.poll(() => page.evaluate('messages.length')).toBeGreaterThan(1)
    expect(await heard(page)).toHaveLength(1)
  })
})

describe('the policy of a checkout', () => {
  const policyOf = async (headers: Record<string, string>, query = '') => {
    const response = await fetch(payUrl + query, { headers })
    const policy = response.headers.get('content-security-policy') ?? ''
    return [/frame-ancestors ([^;]*)/.exec(policy)?.[1], response.headers.get('x-frame-options')]
  }

  test("names exactly the merchant's origins in a frame, and none elsewhere", async () => {
    harness.allowed.origins = ['https://shop.example', 'https://www.shop.example:8443']
    const named = ['https://shop.example https://www.shop.example:8443', null]
    expect(await policyOf({ 'sec-fetch-dest': 'iframe' })).toEqual(named)
    expect(await policyOf({}, '?embed=https://evil.example')).toEqual(named)
    expect(await policyOf({ 'sec-fetch-dest': 'document' })).toEqual(["'none'", 'DENY'])
    harness.allowed.origins = []
    expect(await policyOf({ 'sec-fetch-dest': 'iframe' }, '?embed=https://evil.example')).toEqual([
      "'none'",
      'DENY',
    ])
  })

  test('goes with a page that tells how the payment goes to an origin on the list, and to no other', async () => {
    harness.allowed.origins = ['https://shop.example']
    const embedderOf = async (origin: string) =>
      /<meta name="embedder" content="([^"]*)">/.exec(
        await (await fetch(`${payUrl}?embed=${encodeURIComponent(origin)}`)).text(),
      )?.[1]
    expect(await embedderOf('https://shop.example')).toBe('https://shop.example')
    for (const origin of ['https://evil.example', 'https://shop.example.evil.example', '*', 'null', ''])
      expect([origin, await embedderOf(origin)]).toEqual([origin, undefined])
  })

  test('of a receipt that is none lets nobody frame it', async () => {
    harness.allowed.origins = ['https://shop.example']
    const response = await fetch(`${harness.url}/pay/nothing?embed=https://shop.example`)
    expect([response.status, response.headers.get('x-frame-options')]).toEqual([404, 'DENY'])
  })
})
