import { describe, expect, test } from 'vitest'
import { makeTheme } from '../../src/pages/theme/make-theme.ts'
import { plainTheme } from '../../src/pages/theme/page-theme.ts'
import { openBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { startPageHarness } from '../support/browser/page-harness.ts'
import { euroReceipt, receiptViews } from '../support/browser/page-states.ts'
import { joinPdf, readPdf } from '../support/browser/read-pdf.ts'
import {
  madeBuyer as buyer,
  madePayment,
  makeReceiptView,
  makeTracker,
} from '../support/browser/receipt-views.ts'
import { violations } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'

const harness = perFile(startPageHarness)
const browser = perFile(openBrowser)

const hash = `0x${'7d2f40c1'.repeat(8)}`
const refund = { kind: 'price', usd: 20, transactionHash: hash, at: Date.UTC(2025, 10, 24) } as const
const looks = [1280, 320].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ viewport: { width, height: 800 }, colorScheme })),
)

test('point 40: the status is a word and a sign, and every step of the money says how far it is', async () => {
  const seen = await openAsBuyer(browser, 'about:blank')
  for (const [name, view] of Object.entries(receiptViews)) {
    if (['receipt-unpaid', 'receipt-bank-pending', 'receipt-cancelled'].includes(name)) continue
    await seen.page.goto(harness.putReceipt('words', view))
    expect(await seen.page.locator('.standing').innerText()).toMatch(/\w/)
    expect(await seen.page.locator('.standing svg').count()).toBe(1)
    for (const step of await seen.page.locator('.tracker ol h3').allTextContents())
      expect(step).toMatch(/\((done|in progress|not yet|stopped)\)/)
  }
  await seen.close()
})

test('a receipt is complete without scripts: lines, totals, rate, payer, hash, way of the money, PDF', async () => {
  const url = harness.putReceipt('no-script', { ...euroReceipt, buyer })
  const seen = await openAsBuyer(browser, url, { javaScriptEnabled: false })
  const text = await seen.page.locator('main').innerText()
  for (const part of [
    'Receipt from Nordlys Coffee',
    'Paid',
    '21 Nov 2025, 08:01 UTC',
    'Ethiopia Guji, 1 kg',
    '€64.00',
    'Tax (7.5%, US-CA)',
    '€80.40',
    '$87.20',
    '$0.44',
    '$87.64',
    '1 EUR = $1.0846, fixed 21 Nov 2025, 08:00 UTC (source: ecb)',
    '1 USDC = $1.00',
    madePayment.payer ?? '',
    hash,
    'ada@example.com',
    'Distributed',
  ])
    expect(text).toContain(part)
  expect(await seen.page.locator('.scripted:visible').count()).toBe(0)
  const explorer = seen.page.getByRole('link', { name: 'View on the block explorer' })
  expect(await explorer.getAttribute('href')).toBe(`https://basescan.org/tx/${hash}`)
  expect(await explorer.getAttribute('rel')).toContain('noopener')
  const pdf = await seen.page.getByRole('link', { name: 'Download PDF' }).getAttribute('href')
  const file = await fetch(new URL(pdf ?? '', harness.url))
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  expect(joinPdf(await readPdf(new Uint8Array(await file.arrayBuffer())))).toContain('ada@example.com')
  await seen.close()
})

describe('an open receipt', () => {
  test('shows times in the zone of whoever reads it', async () => {
    const options = { timezoneId: 'America/New_York', locale: 'en-US' }
    const seen = await openAsBuyer(browser, harness.putReceipt('zone'), options)
    const date = seen.page.locator('.title time')
    await expect.poll(() => date.innerText()).toBe('21 Nov 2025, 03:01 GMT-5')
    await seen.close()
  })

  test('is printed by its button', async () => {
    const seen = await openAsBuyer(browser, harness.putReceipt('print'))
    await seen.page.evaluate('window.print = () => (window.printed = true)')
    await seen.page.getByRole('button', { name: 'Print' }).click()
    expect(await seen.page.evaluate('window.printed')).toBe(true)
    await seen.close()
  })

  test('point 37: follows the money without a reload, says each step once, and then asks no more', async () => {
    const url = harness.putReceipt('moves', { tracker: makeTracker(['done', 'now'], 'waiting') })
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.clock.install()
    await page.goto(url)
    let reads = 0
    page.on('request', () => void reads++)
    await page.evaluate(`globalThis.said = []; globalThis.isSame = true
      const say = document.getElementById('say')
      new MutationObserver(() => say.textContent && said.push(say.textContent)).observe(say, { childList: true })`)
    // The timing of responses determines which poll announces the change. It must not be announced twice.
    const heard = async () => {
      await page.clock.runFor(10_500)
      return page.evaluate('said')
    }
    await expect.poll(() => reads).toBe(0)
    await heard()
    await expect.poll(() => reads).toBeGreaterThan(0)
    expect(await heard()).toEqual([])
    harness.putReceipt('moves', { tracker: makeTracker(['done', 'done', 'now'], 'waiting') })
    await expect.poll(heard).toEqual(['Confirmed'])
    expect(await page.locator('.tracker li.now h3').innerText()).toContain('Becoming final')
    harness.putReceipt('moves', { tracker: makeTracker(['done', 'done', 'done', 'done']) })
    await expect.poll(heard).toEqual(['Confirmed', 'Distributed'])
    expect(await page.evaluate('isSame')).toBe(true)
    const before = reads
    await page.clock.runFor(60_000)
    expect(reads).toBe(before)
    await context.close()
  })

  test('point 34: is read by keyboard alone, from the skip link on', async () => {
    const seen = await openAsBuyer(browser, harness.putReceipt('keys'))
    const names: string[] = []
    for (let i = 0; i < 5; i++) {
      await seen.page.keyboard.press('Tab')
      names.push((await seen.page.evaluate<string>("document.activeElement.textContent ?? ''")).trim())
    }
    expect(names).toEqual([
      'Skip to the receipt',
      'Download PDF',
      'Print',
      'View on the block explorer',
      'How the payment is split',
    ])
    await seen.page.keyboard.press('Enter')
    expect(await seen.page.getByText('Recipient 1').isVisible()).toBe(true)
    await seen.close()
  })
})

describe('point 42: a receipt in a theme', () => {
  const owner = makeReceiptView().recipient.toLowerCase()
  const cover = { url: 'https://shop.example.com/a.png', owner, slot: 'background' }
  test.each([
    '#ffff00',
    '#777',
    '#0a0a0a',
    'hsl(300 100% 90%)',
  ])('of %s keeps its contrast, light and dark', async (primaryColor) => {
    harness.looks.theme = makeTheme({
      brandName: 'Shop',
      primaryColor,
      textColor: '#ccc',
      fontFamily: 'Lora',
      receiptBackground: cover,
    })
    const url = harness.putReceipt('theme', { refunds: [{ ...refund, state: 'sent' }] })
    const { page, close } = await openAsBuyer(browser, url)
    for (const { viewport, colorScheme } of looks) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      expect(await violations(page)).toEqual([])
    }
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(`${harness.url}/claim`)
    expect(await violations(page)).toEqual([])
    await close()
    harness.looks.theme = plainTheme
  })
})

test('what merchants and buyers write is text wherever it stands', async () => {
  const evil = `</title><script>window.hacked=1</script>"'><img src=x onerror="window.hacked=1">\u202e`
  const url = harness.putReceipt('hostile', {
    brandName: evil,
    lines: [{ label: evil, qty: 1, amount: 1 }],
    tax: { amount: 1, rate: null, jurisdictionCode: evil },
    buyer: { name: evil, email: evil, phone: evil, address: [evil] },
    valuation: { unit: 'EUR', usdPerUnit: 1, quotedAt: 0, provider: evil },
    payments: [{ ...madePayment, payer: evil, rate: { ...madePayment.rate, provider: evil } }],
  })
  const seen = await openAsBuyer(browser, url)
  expect(await seen.page.evaluate('window.hacked')).toBeUndefined()
  expect(await seen.page.locator('img').count()).toBe(0)
  expect(seen.problems).toEqual([])
  expect(await seen.page.title()).not.toContain('\u202e')
  await seen.close()
  const pdf = await fetch(url.replace('?', '.pdf?'))
  expect(pdf.status).toBe(200)
  expect(pdf.headers.get('content-disposition')).toBe(
    `inline; filename="hostile.pdf"; filename*=UTF-8''hostile.pdf`,
  )
})

describe('at the addresses of a receipt', () => {
  const ask = (path: string) => fetch(harness.url + path, { redirect: 'manual' })

  test('what is not paid says so and leads to the checkout, and as a PDF leads to that page', async () => {
    const url = harness.putReceipt('not paid', { standing: 'unpaid', payments: [], tracker: null })
    const page = await fetch(url)
    expect(page.status).toBe(200)
    const text = await page.text()
    expect(text).toContain('This receipt has not been paid yet')
    expect(text).toContain(`href="/pay/not%20paid?recipient=${makeReceiptView().recipient}"`)
    const pdf = await ask('/receipt/not%20paid.pdf?recipient=0x1')
    expect([pdf.status, pdf.headers.get('location')]).toEqual([303, '/receipt/not%20paid?recipient=0x1'])
  })

  test('an unknown one, one asked for twice over and a strange one are not found', async () => {
    for (const path of [
      '/receipt/none',
      '/receipt/none.pdf',
      '/receipt/a?recipient=1&recipient=2',
      '/receipt/.pdf',
    ])
      expect([path, (await ask(path)).status]).toEqual([path, 404])
  })

  test('an id that ends as a PDF does has its page all the same', async () => {
    harness.putReceipt('invoice.pdf')
    const page = await ask('/receipt/invoice.pdf')
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const pdf = await ask('/receipt/invoice.pdf.pdf')
    expect(pdf.headers.get('content-type')).toBe('application/pdf')
  })

  test('the private link goes on to the PDF and is neither printed nor told to other sites', async () => {
    const url = `${harness.putReceipt('private', { buyer })}&access=abc.${'0'.repeat(64)}`
    const page = await fetch(url)
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.headers.get('cache-control')).toBe('no-store')
    const html = await page.text()
    const links = html.match(/href="\/receipt\/private(\.pdf)?\?[^"]*access=/g)
    expect(links?.length).toBeGreaterThan(1)
    expect(html.match(/access=/g)).toHaveLength(links?.length ?? 0)
    const pdf = await fetch(url.replace('?', '.pdf?'))
    expect(pdf.headers.get('cache-control')).toBe('no-store')
    expect(joinPdf(await readPdf(new Uint8Array(await pdf.arrayBuffer())))).not.toContain('access=')
  })

  test('HTML and CSS fit one TCP window', async () => {
    const page = await fetch(harness.putReceipt('budget'), { headers: { 'accept-encoding': 'gzip' } })
    const path = (await page.text()).match(/\/assets\/receipt\.\w+\.css/)?.[0]
    const css = await fetch(`${harness.url}${path}`, { headers: { 'accept-encoding': 'gzip' } })
    const size = (response: Response) => Number(response.headers.get('content-length'))
    expect(size(page) + size(css)).toBeLessThan(14_000)
  })
})
