import { afterEach, describe, expect, it } from 'vitest'
import {
  focusedText,
  listen,
  markWhenShown,
  openAsBuyer,
  shownAt,
} from '../support/browser/checkout-browser.ts'
import { startCheckoutStage } from '../support/browser/checkout-stage.ts'
import { checkoutStates } from '../support/browser/checkout-states.ts'
import {
  makeAttempt,
  paidView,
  paymentHash,
  pendingView,
  shortView,
  type ViewChanges,
} from '../support/browser/checkout-views.ts'
import { startPageHarness } from '../support/browser/page-harness.ts'
import { readQr } from '../support/browser/read-qr.ts'
import { openSwallowingProxy } from '../support/kill/swallowing-proxy.ts'
import { perFile } from '../support/per-file.ts'

const stage = perFile(() => startCheckoutStage())
afterEach(() => {
  stage.harness.clock.skewMs = 0
})
const payParts = '.qr, .copy, .wallets, .address, .tokens, [data-act=wallet], a[href^="ethereum:"]'

describe('a payment from another device', () => {
  it('point 19: confirmations count up, and it is paid within three seconds of the server', async () => {
    const buyer = await stage.open(stage.harness.put('live'))
    await markWhenShown(buyer.page, 'Payment complete')
    stage.harness.put('live', pendingView)
    await buyer.page.getByText('1 of 3 confirmations').waitFor()
    expect(
      await buyer.page.getByRole('link', { name: 'View on the block explorer' }).getAttribute('href'),
    ).toBe(`https://explorer.example/tx/${paymentHash}`)
    stage.harness.put('live', { payment: { ...pendingView.payment, confirmations: 2 } })
    await buyer.page.getByText('2 of 3 confirmations').waitFor()
    const paidAt = Date.now()
    stage.harness.put('live', paidView)
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect((await shownAt(buyer.page)) - paidAt).toBeLessThanOrEqual(3_000)
    expect(buyer.problems).toEqual([])
    await buyer.close()
  })

  it.each([
    'pending',
    'paid',
    'failed',
  ])('point 18: pay buttons, code and address go with the state %s', async (state) => {
    const { page, close } = await stage.open(stage.harness.put('ends'))
    expect(await page.locator(payParts).count()).toBeGreaterThan(4)
    stage.harness.put('ends', checkoutStates[state]?.changes)
    await page.locator(`#panel[data-panel=${state}]`).waitFor()
    expect(await page.locator(payParts).count()).toBe(0)
    await page.reload()
    expect(await page.locator(payParts).count()).toBe(0)
    await close()
  })

  it('point 18: pay buttons, code and address go when the price expires', async () => {
    const url = stage.harness.put('expires', (now) => ({
      attempt: makeAttempt('USDC', now, { expiresAt: now + 60_000 }),
      payment: { state: 'awaiting' },
    }))
    const { page, close } = await stage.open(url, { hasClock: true })
    expect(await page.locator(payParts).count()).toBeGreaterThan(4)
    stage.harness.clock.skewMs = 61_000
    await page.clock.fastForward(61_000)
    await page.locator('#panel[data-panel=expired]').waitFor()
    expect(await page.locator(payParts).count()).toBe(0)
    await close()
  })

  it('point 20: paid takes title and focus, and has the link to the receipt that no panel had before', async () => {
    const { page, close } = await stage.open(stage.harness.put('done'))
    const receipt = page.getByRole('link', { name: 'View the receipt' })
    expect(await receipt.count()).toBe(0)
    stage.harness.put('done', pendingView)
    await page.getByText('1 of 3 confirmations').waitFor()
    expect(await page.title()).not.toContain('complete')
    expect(await receipt.count()).toBe(0)
    stage.harness.put('done', paidView)
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect(await page.title()).toBe('Payment complete · Harbour Coffee Roasters')
    await expect.poll(() => focusedText(page)).toBe('Payment complete')
    expect(await receipt.getAttribute('href')).toBe('/receipt/done')
    await close()
  })

  it('point 21: an open page becomes paid without a reload', async () => {
    const { page, close } = await stage.open(stage.harness.put('followed'))
    await page.evaluate('globalThis.isSamePage = true')
    stage.harness.put('followed', paidView)
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect(await page.evaluate('globalThis.isSamePage')).toBe(true)
    await close()
  })

  it('point 22: that is short shows what is missing to the unit, on both sides, with a code for the rest', async () => {
    const buyer = await stage.open(stage.harness.put('short'))
    stage.harness.put('short', shortView)
    await buyer.page.getByRole('heading', { name: 'Partial payment received' }).waitFor()
    const facts = buyer.page.locator('#stage .facts.split')
    expect(await facts.locator('dt').allInnerTexts()).toEqual(['Received', 'Remaining'])
    expect(await facts.locator('dd').allInnerTexts()).toEqual(['15.000001 USDC', '9.999999 USDC'])
    expect(await buyer.page.locator('.head').innerText()).toContain('Send the remaining 9.999999 USDC')
    expect(await buyer.page.locator('#stage .value').innerText()).toBe('9.999999 USDC')
    expect(await buyer.page.locator('.tokenamount').innerText()).toBe('9.999999 USDC left to pay')
    expect(await readQr(buyer.page.locator('.code.link svg'))).toContain('uint256=9999999')
    await buyer.close()
  })

  it('that failed is paid another way, and followed as any other', async () => {
    const failed: ViewChanges = {
      status: 'failed',
      failure: { code: 'PORTAL_PAY_CARD_EXPIRED', category: 'card_decline', providerRequestId: null },
    }
    const buyer = await stage.open(stage.harness.put('again', failed))
    await buyer.page.getByRole('link', { name: 'Pay another way' }).click()
    await buyer.page.getByRole('heading', { name: 'Pay 25.00 USDC' }).waitFor()
    stage.harness.put('again', { ...failed, ...pendingView })
    await buyer.page.getByText('1 of 3 confirmations').waitFor()
    await buyer.close()
  })

  it('point 30: is not lost while the connection is gone, and the page says so within five seconds', async () => {
    const buyer = await openAsBuyer(stage.browser, stage.harness.put('offline'))
    const goneAt = Date.now()
    await markWhenShown(buyer.page, 'cannot be reached')
    await buyer.page.context().setOffline(true)
    await buyer.page.locator('#offline:visible').waitFor()
    expect((await shownAt(buyer.page)) - goneAt).toBeLessThanOrEqual(5_000)
    stage.harness.put('offline', paidView)
    await buyer.page.context().setOffline(false)
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    await expect.poll(() => buyer.page.locator('#offline').isVisible()).toBe(false)
    await buyer.close()
  })

  it('point 30: is waited for while the service is gone, and the page says so within five seconds', async () => {
    const own = await startPageHarness()
    const buyer = await openAsBuyer(stage.browser, own.put('gone'))
    await buyer.page.locator('.code.link svg').waitFor()
    await markWhenShown(buyer.page, 'cannot be reached')
    const goneAt = Date.now()
    await own.close()
    await buyer.page.locator('#offline:visible').waitFor()
    expect((await shownAt(buyer.page)) - goneAt).toBeLessThanOrEqual(5_000)
    await buyer.close()
  })

  it('point 30: is waited for while the way to the service swallows everything, and the page says so within five seconds', async () => {
    const proxy = await openSwallowingProxy(stage.harness.url)
    const { page, close } = await stage.open(
      stage.harness.put('swallowed').replace(stage.harness.url, proxy.url),
    )
    await page.locator('.code.link svg').waitFor()
    await markWhenShown(page, 'cannot be reached')
    const goneAt = Date.now()
    proxy.swallow()
    await page.locator('#offline:visible').waitFor()
    expect((await shownAt(page)) - goneAt).toBeLessThanOrEqual(5_000)
    stage.harness.put('swallowed', paidView)
    proxy.heal()
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor({ timeout: 60_000 })
    expect(await page.locator('#offline').isVisible()).toBe(false)
    await close()
    proxy.close()
  })

  it('is waited for while the records cannot be read', async () => {
    const buyer = await openAsBuyer(stage.browser, stage.harness.put('records'))
    stage.harness.error.find = new Error('the database is gone')
    await buyer.page.locator('#offline:visible').waitFor()
    const status = await buyer.page.context().request.get(buyer.page.url())
    expect(status.status()).toBe(503)
    expect(await status.text()).toContain('Do not pay again')
    delete stage.harness.error.find
    stage.harness.put('records', paidView)
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    await buyer.close()
  })
})

describe('the live regions', () => {
  it('point 37: each change of the state is said once, news in the region of status, bad news in that of alerts', async () => {
    const { page, close } = await stage.open(stage.harness.put('news'))
    for (const role of ['status', 'alert']) expect(await page.locator(`[role=${role}]`).count()).toBe(1)
    expect(await page.locator('[aria-live]').count()).toBe(0)
    const heard = await listen(page)
    const said = []
    for (const [state, text] of [
      ['short', /^status: Partial payment received\. Send the remaining 9\.999999 USDC/],
      ['pending', /^status: Payment detected\. Waiting for confirmation\. There is nothing more to do/],
      ['orphaned', /^alert: The network reversed your payment\. /],
      ['failed', /^alert: The payment failed\. Your bank declined/],
      ['paid', /^status: Harbour Coffee Roasters has received your payment\.$/],
    ] as const) {
      stage.harness.put('news', checkoutStates[state]?.changes)
      await page.locator(`#panel[data-panel=${state}]`).waitFor()
      said.push(expect.stringMatching(text))
      // A duplicate announcement would appear before the next state's announcement.
      await expect.poll(heard).toEqual(said)
    }
    await close()
  })
})

it('point 44: none of this leaves an error in the console or a report of the policy', () => {
  expect(stage.problems).toEqual([])
})
