import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPage } from '../../../../scripts/guide/read-blocks.ts'
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts'
import { type BuyerPage, focusedText, openAsBuyer } from '../support/browser/checkout-browser.ts'
import type { ViewChanges } from '../support/browser/checkout-views.ts'
import { type PageHarness, serveMerchantPage, startPageHarness } from '../support/browser/page-harness.ts'

let harness: PageHarness
let browser: TestBrowser
beforeAll(async () => {
  ;[harness, browser] = await Promise.all([startPageHarness(), openBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await harness?.close()
})

const hash = `0x${'5e'.repeat(32)}`
const shop = 'https://shop.example/thanks'
const paid: ViewChanges = { status: 'paid', transactionHash: hash, payment: { state: 'paid', token: 'USDC' } }
let count = 0
/** The code blocks in docs/checkout.md: the fields, and the statements that redirect the buyer. */
const [fields = '', redirects = ''] = readPage('docs/checkout.md').map(({ text }) =>
  text.trim().replaceAll('https://shop.example.com/thanks', shop),
)

async function openPaid(after: {
  returnUrl?: string
  script?: string
  hasClock?: boolean
}): Promise<BuyerPage> {
  const id = `after-${++count}`
  if (after.script !== undefined) harness.scripts.set(id, after.script)
  const url = harness.put(id, { ...paid, returnUrl: after.returnUrl ?? null })
  const buyer = await openAsBuyer(browser, 'about:blank', { hasClock: after.hasClock ?? false })
  await buyer.page.route('https://shop.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>Thanks</title>' }),
  )
  // Stops the page's clock, so that a slow machine does not affect the result.
  if (after.hasClock) await buyer.page.clock.pauseAt(Date.now() + 1_000)
  await buyer.page.goto(url)
  await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  return buyer
}

const frameOf = (page: Page) => page.frames().find((frame) => frame.url().includes('/on-success'))

describe('point 28: after the payment', () => {
  it('the buyer is taken to returnUrl after five seconds', async () => {
    const { page, problems, close } = await openPaid({ returnUrl: shop, hasClock: true })
    await page.getByText('Returning in').waitFor()
    await page.clock.runFor(4_000)
    expect(page.url()).not.toBe(shop)
    await page.clock.runFor(2_000)
    await page.waitForURL(shop)
    expect(problems).toEqual([])
    await close()
  })

  it('who cancels stays', async () => {
    const { page, problems, close } = await openPaid({ returnUrl: shop, hasClock: true })
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await focusedText(page)).toContain('Return to')
    await page.clock.runFor(20_000)
    expect(page.url()).not.toBe(shop)
    expect(await page.getByRole('link', { name: 'Return to' }).getAttribute('href')).toBe(shop)
    expect(problems).toEqual([])
    await close()
  })

  it.each([
    'javascript:document.title="hit"',
    'http://shop.example/thanks',
    'data:text/html,hit',
    '//shop.example',
  ])('nobody is taken to %s', async (returnUrl) => {
    const { page, problems, close } = await openPaid({ returnUrl, hasClock: true })
    await page.clock.runFor(20_000)
    expect(await page.locator('a[data-return]').count()).toBe(0)
    expect(await page.title()).toMatch(/^Payment complete/)
    expect(problems).toEqual([])
    await close()
  })
})

describe("point 28: the merchant's script", () => {
  it('gets the result, without an origin, storage, network or a way to the page', async () => {
    const script = `
      const tried = {}
      for (const [name, act] of Object.entries({
        cookie: () => document.cookie,
        storage: () => localStorage.length,
        parent: () => parent.document.title,
      })) { try { act(); tried[name] = 'open' } catch { tried[name] = 'shut' } }
      fetch('/api/receipts/status').then(() => 'open', () => 'shut').then((network) => {
        document.title = JSON.stringify({ payment, listed: [${fields}], origin, network, ...tried })
      })`
    const { page, problems, close } = await openPaid({ script })
    await expect.poll(() => frameOf(page)?.title()).toContain('network')
    expect(JSON.parse((await frameOf(page)?.title()) ?? '')).toEqual({
      payment: {
        receiptId: `after-${count}`,
        status: 'paid',
        transactionHash: hash,
        amount: 25,
        currency: 'USD',
        token: 'USDC',
      },
      listed: [`after-${count}`, 'paid', hash, 25, 'USD', 'USDC'],
      origin: 'null',
      cookie: 'shut',
      storage: 'shut',
      parent: 'shut',
      network: 'shut',
    })
    // The frame's own policy blocked its request. The checkout itself reports no problem.
    expect(problems.filter((each) => !each.includes('/api/receipts/status'))).toEqual([])
    await close()
  })

  it.each(
    redirects.split('\n'),
  )('may ask for one https page by %s, to which the buyer is taken with the same countdown', async (way) => {
    const script = `${way}
      parent.postMessage({ redirect: 'https://other.example' }, '*')`
    const { page, problems, close } = await openPaid({ script, hasClock: true })
    await page.getByRole('link', { name: 'Continue to shop.example' }).waitFor()
    expect(await page.getByRole('button', { name: 'Cancel' }).isVisible()).toBe(true)
    await page.clock.runFor(6_000)
    await page.waitForURL(`${shop}?order=after-${count}`)
    expect(problems).toEqual([])
    await close()
  })

  it.each([
    'window.location.href =',
    'location =',
    'top.location =',
    'self.window.parent.location.href =',
    'document.location =',
    'location.replace',
    'window.location.assign',
  ])('that goes to a page by %s asks for it, and never leaves its frame', async (way) => {
    const script = `if (payment.status === 'paid') { ${way} ('${shop}') }`
    const { page, problems, close } = await openPaid({ script, hasClock: true })
    const link = page.getByRole('link', { name: 'Continue to shop.example' })
    await link.waitFor()
    expect(await link.getAttribute('href')).toBe(shop)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.clock.runFor(20_000)
    expect(page.url()).toContain('/pay/')
    expect(problems).toEqual([])
    await close()
  })

  it('has the rest of its window as scripts know it', async () => {
    const script = `
      var later = 'set'
      window.mine = document.createElement('p')
      window.setTimeout(() => { document.title = [later, mine.tagName, window.mine === mine, new Date(0).getTime()].join() }, 1)`
    const { page, problems, close } = await openPaid({ script })
    await expect.poll(() => frameOf(page)?.title()).toBe('set,P,true,0')
    expect(problems).toEqual([])
    await close()
  })

  it.each([
    'javascript:alert(1)',
    'http://shop.example/',
    'data:text/html,x',
    'https://user:pass@shop.example/',
    'x',
  ])('is not followed to %s', async (url) => {
    const script = `parent.postMessage({ redirect: ${JSON.stringify(url)} }, '*'); document.title = 'ran'`
    const { page, problems, close } = await openPaid({ script })
    await expect.poll(() => frameOf(page)?.title()).toBe('ran')
    expect(await page.locator('a[data-return]').count()).toBe(0)
    expect(problems).toEqual([])
    await close()
  })

  it('does not win against the returnUrl of the receipt', async () => {
    const script = "parent.postMessage({ redirect: 'https://other.example/' }, '*'); document.title = 'ran'"
    const { page, close } = await openPaid({ script, returnUrl: shop })
    await expect.poll(() => frameOf(page)?.title()).toBe('ran')
    expect(await page.locator('a[data-return]').count()).toBe(1)
    expect(await page.locator('a[data-return]').getAttribute('href')).toBe(shop)
    await close()
  })

  it('runs once in a tab, and with a payment that the open page learns of', async () => {
    const id = 'after-live'
    harness.scripts.set(id, "document.title = 'ran'")
    const { page, problems, close } = await openAsBuyer(browser, harness.put(id))
    await page.locator('.code.link svg').waitFor()
    expect(frameOf(page)).toBeUndefined()
    harness.put(id, paid)
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    await expect.poll(() => frameOf(page)?.title()).toBe('ran')
    await page.reload()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect(await page.locator('iframe').count()).toBe(0)
    expect(problems).toEqual([])
    await close()
  })

  it('runs in a checkout that the merchant shows in a frame of its own page', async () => {
    harness.scripts.set('embedded', "document.title = 'ran'")
    const url = harness.put('embedded', paid)
    const around = await serveMerchantPage(() => `<iframe src="${url}" width="600" height="800"></iframe>`)
    harness.allowed.origins = [around.origin]
    const { page, problems, close } = await openAsBuyer(browser, around.url)
    await page.frameLocator('iframe').first().getByRole('heading', { name: 'Payment complete' }).waitFor()
    await expect.poll(() => frameOf(page)?.title()).toBe('ran')
    expect(problems).toEqual([])
    harness.allowed.origins = []
    await close()
    await around.close()
  })

  it('is served to a frame only, and only once the receipt is paid', async () => {
    harness.scripts.set('served', 'x()</script><script>alert(1)</script>')
    const url = `${harness.put('served')}/on-success`
    const ask = (destination?: string) =>
      fetch(url, destination ? { headers: { 'sec-fetch-dest': destination } } : {})
    expect((await ask('iframe')).status).toBe(404)
    harness.put('served', paid)
    for (const other of [undefined, 'document', 'script', 'empty'])
      expect((await ask(other)).status).toBe(404)
    const response = await ask('iframe')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-security-policy')).toMatch(
      /^sandbox allow-scripts; default-src 'none'; script-src 'nonce-[\w-]+'; .*frame-ancestors 'self'$/,
    )
    expect((await response.text()).match(/<script/g)).toHaveLength(1)
    harness.scripts.delete('served')
    expect((await ask('iframe')).status).toBe(404)
  })

  it('opens frames to a page of a receipt that has one, and to no other', async () => {
    harness.scripts.set('framed', 'x()')
    const policyOf = async (url: string) => (await fetch(url)).headers.get('content-security-policy')
    expect(await policyOf(harness.put('framed'))).toContain("frame-src 'self'")
    expect(await policyOf(harness.put('unframed'))).not.toContain('frame-src')
  })
})
