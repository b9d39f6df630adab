import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser/browser.ts'
import {
  focusedText,
  listen,
  markWhenShown,
  openAsBuyer,
  shownAt,
} from '../support/browser/checkout-browser.ts'
import { type CheckoutHarness, startCheckoutHarness } from '../support/browser/checkout-harness.ts'
import { fullPayment } from '../support/browser/checkout-states.ts'
import { makeAttempt, type ViewChanges } from '../support/browser/checkout-views.ts'
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
const seen: ViewChanges = {
  payment: { ...fullPayment, state: 'seen', confirmations: 1, requiredConfirmations: 3 },
}
const paid: ViewChanges = {
  status: 'paid',
  transactionHash: hash,
  payment: { ...fullPayment, state: 'paid' },
}
const short = (now: number): ViewChanges => ({
  attempt: makeAttempt('USDC', now, { amount: '25000000', remaining: '9999999' }),
  payment: { ...fullPayment, state: 'short', received: '15000001', missing: '9999999' },
})

describe('a payment from another device', () => {
  it('point 19: confirmations count up, and it is paid within three seconds of the server', async () => {
    const buyer = await openAsBuyer(browser, harness.put('live'))
    await markWhenShown(buyer.page, 'Payment complete')
    harness.put('live', seen)
    await buyer.page.getByText('1 of 3 confirmations').waitFor()
    expect(
      await buyer.page.getByRole('link', { name: 'View on the block explorer' }).getAttribute('href'),
    ).toBe(`https://explorer.example/tx/${hash}`)
    harness.put('live', { payment: { ...seen.payment, confirmations: 2 } })
    await buyer.page.getByText('2 of 3 confirmations').waitFor()
    const paidAt = Date.now()
    harness.put('live', paid)
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect((await shownAt(buyer.page)) - paidAt).toBeLessThanOrEqual(3_000)
    expect(buyer.problems).toEqual([])
    await buyer.close()
  })

  it('points 18 and 20: what pays goes with the first block; paid takes title and focus, and has the receipt', async () => {
    const buyer = await openAsBuyer(browser, harness.put('ends'))
    const payParts = buyer.page.locator('.qr, .copy, .wallets, .address, .tokens, [data-act=wallet]')
    const receipt = buyer.page.getByRole('link', { name: 'View the receipt' })
    expect(await payParts.count()).toBeGreaterThan(4)
    const heard = await listen(buyer.page)
    harness.put('ends', seen)
    await buyer.page.getByText('1 of 3 confirmations').waitFor()
    expect(await payParts.count()).toBe(0)
    expect(await receipt.count()).toBe(0)
    harness.put('ends', paid)
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect(await buyer.page.title()).toBe('Payment complete · Harbour Coffee Roasters')
    expect(await focusedText(buyer.page)).toBe('Payment complete')
    expect(await receipt.getAttribute('href')).toBe('/receipt/ends')
    expect(await payParts.count()).toBe(0)
    expect(await heard()).toEqual([
      expect.stringMatching(/^status: Payment detected/),
      'status: Harbour Coffee Roasters has your payment.',
    ])
    await buyer.close()
  })

  it('point 21: is followed without a reload, by asking where events are blocked', async () => {
    const url = harness.put('polled')
    const context = await browser.newContext()
    await context.route('**/events*', (route) => route.abort())
    const page = await context.newPage()
    await page.goto(url)
    harness.put('polled', paid)
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    await context.close()
  })

  it('point 22: that is short shows what is missing to the unit, on both sides, with a code for the rest', async () => {
    const buyer = await openAsBuyer(browser, harness.put('short'))
    harness.put('short', short)
    await buyer.page.getByRole('heading', { name: 'Part of the payment arrived' }).waitFor()
    const text = await buyer.page.locator('#panel').innerText()
    expect(text).toContain('15.000001 USDC')
    expect(text).toContain('9.999999 USDC')
    expect(await buyer.page.locator('.tokenamount').innerText()).toBe('9.999999 USDC still to pay')
    expect(await readQr(buyer.page.locator('.code.link svg'))).toContain('uint256=9999999')
    await buyer.close()
  })

  it('that failed is paid another way, and followed as any other', async () => {
    const failed: ViewChanges = {
      status: 'failed',
      failure: { code: 'PORTAL_PAY_CARD_EXPIRED', category: 'card_decline', providerRequestId: null },
    }
    const buyer = await openAsBuyer(browser, harness.put('again', failed))
    await buyer.page.getByRole('link', { name: 'Pay another way' }).click()
    await buyer.page.getByRole('heading', { name: 'Pay 25.00 USDC' }).waitFor()
    harness.put('again', { ...failed, ...seen })
    await buyer.page.getByText('1 of 3 confirmations').waitFor()
    await buyer.close()
  })

  it('point 30: is not lost while the connection is gone, and the page says so within five seconds', async () => {
    const buyer = await openAsBuyer(browser, harness.put('offline'))
    const goneAt = Date.now()
    await markWhenShown(buyer.page, 'cannot be reached')
    await buyer.page.context().setOffline(true)
    await buyer.page.locator('#offline:visible').waitFor()
    expect((await shownAt(buyer.page)) - goneAt).toBeLessThanOrEqual(5_000)
    harness.put('offline', paid)
    await buyer.page.context().setOffline(false)
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    await expect.poll(() => buyer.page.locator('#offline').isVisible()).toBe(false)
    await buyer.close()
  })

  it('point 30: is waited for while the service is gone, and the page says so within five seconds', async () => {
    const own = await startCheckoutHarness()
    const buyer = await openAsBuyer(browser, own.put('gone'))
    await buyer.page.locator('.code.link svg').waitFor()
    await markWhenShown(buyer.page, 'cannot be reached')
    const goneAt = Date.now()
    await own.close()
    await buyer.page.locator('#offline:visible').waitFor()
    expect((await shownAt(buyer.page)) - goneAt).toBeLessThanOrEqual(5_000)
    await buyer.close()
  })

  it('is waited for while the records cannot be read', async () => {
    const buyer = await openAsBuyer(browser, harness.put('records'))
    harness.fault.find = new Error('the database is gone')
    await buyer.page.locator('#offline:visible').waitFor()
    const status = await buyer.page.context().request.get(buyer.page.url())
    expect(status.status()).toBe(503)
    expect(await status.text()).toContain('Do not pay again')
    delete harness.fault.find
    harness.put('records', paid)
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    await buyer.close()
  })
})
