import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser/browser.ts'
import { focusedText, listen, openAsBuyer, phone } from '../support/browser/checkout-browser.ts'
import { type CheckoutHarness, startCheckoutHarness } from '../support/browser/checkout-harness.ts'
import { addresses, makeAttempt, type ViewChanges } from '../support/browser/checkout-views.ts'
import { readQr } from '../support/browser/read-qr.ts'

let harness: CheckoutHarness
let browser: Browser
beforeAll(async () => {
  ;[harness, browser] = await Promise.all([startCheckoutHarness(), launchBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await harness?.close()
})

const hash = `0x${'5e'.repeat(32)}`
const full = { token: 'USDC', decimals: 6, due: '25000000', received: '25000000', transactionHash: hash }
const seen: ViewChanges = {
  payment: { ...full, state: 'seen', confirmations: 1, requiredConfirmations: 3 },
}
const paid: ViewChanges = { status: 'paid', transactionHash: hash, payment: { ...full, state: 'paid' } }
const short = (now: number): ViewChanges => ({
  attempt: makeAttempt('USDC', now, { amount: '25000000', remaining: '9999999' }),
  payment: { ...full, state: 'short', received: '15000001', missing: '9999999' },
})

describe('an offer', () => {
  it('is complete without scripts: total, token amount, address, network and code', async () => {
    const buyer = await openAsBuyer(browser, harness.put('no-script'), { javaScriptEnabled: false })
    const text = await buyer.page.locator('main').innerText()
    for (const part of ['$25.00', '25.00 USDC', addresses.deposit, 'Local chain', 'Ethiopia Guji'])
      expect(text).toContain(part)
    expect(await readQr(buyer.page.locator('.code.link svg'))).toContain('uint256=25000000')
    expect(await buyer.page.locator('.scripted:visible').count()).toBe(0)
    await buyer.page.getByRole('link', { name: /^ETH/ }).click()
    expect(await buyer.page.locator('h2').innerText()).toBe('Pay 0.008334 ETH')
    expect(await readQr(buyer.page.locator('.code.link svg'))).toBe(
      `ethereum:${addresses.deposit}@31337?value=8334000000000000`,
    )
    await buyer.close()
  })

  it('shows brand, total and first item of a phone without scrolling', async () => {
    const buyer = await openAsBuyer(browser, harness.put('first-screen'), phone)
    for (const part of ['h1', '.order > summary strong', '.order > summary .first']) {
      const box = await buyer.page.locator(part).boundingBox()
      expect(box && box.y + box.height).toBeLessThan(844)
    }
    await buyer.close()
  })

  it('has two codes: the payment link, and the address only', async () => {
    const buyer = await openAsBuyer(browser, harness.put('codes'))
    expect(await readQr(buyer.page.locator('.code.link svg'))).toBe(
      `ethereum:${addresses.usdc}@31337/transfer?address=${addresses.deposit}&uint256=25000000`,
    )
    await buyer.page.getByRole('radio', { name: 'Address only' }).check()
    expect(await buyer.page.locator('.code.link').isVisible()).toBe(false)
    expect(await readQr(buyer.page.locator('.code.address svg'))).toBe(addresses.deposit)
    await buyer.close()
  })

  it('copies the bare amount and the checksummed address, and says so once', async () => {
    const buyer = await openAsBuyer(browser, harness.put('copy'), {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const heard = await listen(buyer.page)
    const clipboard = () => buyer.page.evaluate<string>('navigator.clipboard.readText()')
    await buyer.page.getByRole('button', { name: 'Copy amount' }).click()
    await buyer.page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await clipboard()).toBe('25')
    await buyer.page.getByRole('button', { name: 'Copy address' }).click()
    await expect.poll(clipboard).toBe(addresses.deposit)
    expect(await heard()).toEqual(['status: Copied', 'status: Copied'])
    expect(await buyer.page.locator('dd .address').innerText()).toBe(addresses.deposit)
    await buyer.close()
  })

  it('puts links into wallet apps before the code on a phone, and nowhere else', async () => {
    const onPhone = await openAsBuyer(browser, harness.put('phone'), phone)
    const link = await onPhone.page.getByRole('link', { name: 'Open in wallet app' }).boundingBox()
    const code = await onPhone.page.locator('.code.link svg').boundingBox()
    expect(link?.y).toBeLessThan(code?.y ?? 0)
    await onPhone.close()
    const atDesk = await openAsBuyer(browser, harness.put('desk'))
    expect(await atDesk.page.getByText('Open in wallet app').count()).toBe(0)
    await atDesk.close()
  })

  it('runs out in the open page: the code goes, one button gets a fresh price', async () => {
    const url = harness.put('runs-out', (now) => ({
      attempt: makeAttempt('USDC', now, { expiresAt: now + 2_500 }),
      payment: { state: 'awaiting' },
    }))
    const buyer = await openAsBuyer(browser, url)
    const heard = await listen(buyer.page)
    await buyer.page.getByRole('heading', { name: 'This price has expired' }).waitFor()
    expect(await buyer.page.locator('.qr').count()).toBe(0)
    expect((await heard()).filter((text) => text.includes('has expired'))).toHaveLength(1)
    await buyer.page.getByRole('link', { name: 'Get a new price' }).click()
    await buyer.page.locator('.code.link svg').waitFor()
    await buyer.close()
  })

  it('counts down without speaking each second', async () => {
    const url = harness.put('timer', (now) => ({
      attempt: makeAttempt('USDC', now, { expiresAt: now + 61_500 }),
    }))
    const buyer = await openAsBuyer(browser, url)
    const heard = await listen(buyer.page)
    await buyer.page.getByText('0:58').waitFor()
    expect(await heard()).toEqual(['status: One minute left at this price.'])
    await buyer.close()
  })
})

describe('a payment from another device', () => {
  it('is followed: confirmations count up, then paid takes title and focus', async () => {
    const buyer = await openAsBuyer(browser, harness.put('live'))
    const heard = await listen(buyer.page)
    harness.put('live', seen)
    await buyer.page.getByText('1 of 3 confirmations').waitFor({ timeout: 3_000 })
    expect(await buyer.page.locator('.qr, .copy, [data-act=wallet]').count()).toBe(0)
    expect(
      await buyer.page.getByRole('link', { name: 'View on the block explorer' }).getAttribute('href'),
    ).toBe(`https://explorer.example/tx/${hash}`)
    harness.put('live', { payment: { ...seen.payment, confirmations: 2 } })
    await buyer.page.getByText('2 of 3 confirmations').waitFor({ timeout: 3_000 })
    harness.put('live', paid)
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor({ timeout: 3_000 })
    expect(await buyer.page.title()).toBe('Payment complete · Harbour Coffee Roasters')
    expect(await focusedText(buyer.page)).toBe('Payment complete')
    expect(await heard()).toEqual([
      expect.stringMatching(/^status: Payment detected/),
      'status: Harbour Coffee Roasters has your payment.',
    ])
    expect(buyer.problems).toEqual([])
    await buyer.close()
  })

  it('is followed by asking where events are blocked', async () => {
    const url = harness.put('polled')
    const context = await browser.newContext()
    await context.route('**/events*', (route) => route.abort())
    const page = await context.newPage()
    await page.goto(url)
    harness.put('polled', paid)
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor({ timeout: 5_000 })
    await context.close()
  })

  it('that is short shows what is missing to the unit, with a code for the rest', async () => {
    const buyer = await openAsBuyer(browser, harness.put('short'))
    harness.put('short', short)
    await buyer.page.getByRole('heading', { name: 'Part of the payment arrived' }).waitFor()
    const text = await buyer.page.locator('#panel').innerText()
    expect(text).toContain('15.000001 USDC')
    expect(text).toContain('9.999999 USDC')
    expect(await readQr(buyer.page.locator('.code.link svg'))).toContain('uint256=9999999')
    await buyer.close()
  })

  it('is not lost while the connection is gone', async () => {
    const buyer = await openAsBuyer(browser, harness.put('offline'))
    await buyer.page.context().setOffline(true)
    await buyer.page.locator('#offline:visible').waitFor({ timeout: 5_000 })
    harness.put('offline', paid)
    await buyer.page.context().setOffline(false)
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    await expect.poll(() => buyer.page.locator('#offline').isVisible()).toBe(false)
    await buyer.close()
  })

  it('is waited for while the records cannot be read', async () => {
    const buyer = await openAsBuyer(browser, harness.put('records'))
    harness.fault.find = new Error('the database is gone')
    await buyer.page.locator('#offline:visible').waitFor({ timeout: 5_000 })
    const status = await buyer.page.context().request.get(buyer.page.url())
    expect(status.status()).toBe(503)
    expect(await status.text()).toContain('Do not pay again')
    delete harness.fault.find
    harness.put('records', paid)
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    await buyer.close()
  })
})

describe('a way back to the merchant', () => {
  const back = 'https://shop.example/thanks'
  it('is taken after five seconds', async () => {
    const buyer = await openAsBuyer(browser, harness.put('back'))
    await buyer.page.route(back, (route) => route.fulfill({ body: 'thanks' }))
    harness.put('back', { ...paid, returnUrl: back })
    await buyer.page.getByText('Taking you back').waitFor()
    await buyer.page.waitForURL(back, { timeout: 7_000 })
    await buyer.close()
  })

  it('is not taken after Cancel', async () => {
    const buyer = await openAsBuyer(browser, harness.put('stay', { ...paid, returnUrl: back }))
    await buyer.page.getByRole('button', { name: 'Cancel' }).click()
    expect(await buyer.page.getByText('Taking you back').isVisible()).toBe(false)
    expect(await focusedText(buyer.page)).toContain('Return to')
    await buyer.close()
  })

  it.each([
    'javascript:alert(1)',
    'http://shop.example/thanks',
    'data:text/html,hi',
  ])('is not offered to %s', async (returnUrl) => {
    const buyer = await openAsBuyer(browser, harness.put('bad-way', { ...paid, returnUrl }))
    expect(await buyer.page.locator('[data-return], [data-countdown]').count()).toBe(0)
    await buyer.close()
  })
})
