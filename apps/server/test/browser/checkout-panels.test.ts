import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser/browser.ts'
import {
  type BuyerPage,
  bottomOf,
  focusedText,
  listen,
  openAsBuyer,
  phone,
} from '../support/browser/checkout-browser.ts'
import { type CheckoutHarness, startCheckoutHarness } from '../support/browser/checkout-harness.ts'
import { fullPayment } from '../support/browser/checkout-states.ts'
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
const seen: ViewChanges = {
  payment: { ...fullPayment, state: 'seen', confirmations: 1, requiredConfirmations: 3 },
}
const paid: ViewChanges = {
  status: 'paid',
  transactionHash: hash,
  payment: { ...fullPayment, state: 'paid' },
}

describe('an offer', () => {
  it.each([
    ['at a desk', {}],
    ['on a phone', phone],
  ])('point 1: %s without scripts, total, token amount, address, network and code are visible', async (_name, device) => {
    const buyer = await openAsBuyer(browser, harness.put('no-script'), {
      ...device,
      javaScriptEnabled: false,
    })
    const text = await buyer.page.locator('body').innerText()
    for (const part of ['$25.00', 'Pay 25.00 USDC', addresses.deposit, 'Local chain', 'Ethiopia Guji'])
      expect(text).toContain(part)
    expect(await readQr(buyer.page.locator('.code.link svg'))).toContain('uint256=25000000')
    expect(await buyer.page.locator('.scripted:visible').count()).toBe(0)
    expect(await buyer.page.getByRole('link', { name: 'Refresh this page' }).isVisible()).toBe(true)
    await buyer.page.getByRole('link', { name: /^ETH/ }).click()
    expect(await buyer.page.locator('h2').innerText()).toBe('Pay 0.008334 ETH')
    expect(await readQr(buyer.page.locator('.code.link svg'))).toBe(
      `ethereum:${addresses.deposit}@31337?value=8334000000000000`,
    )
    await buyer.close()
  })

  it('point 2: total, brand and first item are in the first screen of a phone', async () => {
    const buyer = await openAsBuyer(browser, harness.put('first-screen'), phone)
    for (const part of ['h1', '.order > summary strong', '.order > summary bdi'])
      expect(await bottomOf(buyer.page, part)).toBeLessThan(844)
    await buyer.close()
  })

  it('point 3: has two codes, the payment link and the address only', async () => {
    const buyer = await openAsBuyer(browser, harness.put('codes'))
    expect(await readQr(buyer.page.locator('.code.link svg'))).toBe(
      `ethereum:${addresses.usdc}@31337/transfer?address=${addresses.deposit}&uint256=25000000`,
    )
    await buyer.page.getByRole('radio', { name: 'Address only' }).check()
    expect(await buyer.page.locator('.code.link svg').isVisible()).toBe(false)
    expect(await readQr(buyer.page.locator('.code.address svg'))).toBe(addresses.deposit)
    await buyer.close()
  })

  it('point 5: shows the address in full, not cut in the middle', async () => {
    const buyer = await openAsBuyer(browser, harness.put('address'), {
      viewport: { width: 320, height: 640 },
    })
    const address = buyer.page.locator('dd .address')
    expect(await address.innerText()).toBe(addresses.deposit)
    const cut =
      "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('dd .address'))"
    expect(await buyer.page.evaluate(cut)).toBeLessThanOrEqual(0)
    await buyer.close()
  })

  it('point 4: copies the bare amount and the checksummed address, and says so once', async () => {
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

  it('point 9: links into wallet apps come before the code on a phone, and are nowhere else', async () => {
    const onPhone = await openAsBuyer(browser, harness.put('phone'), phone)
    const open = onPhone.page.getByRole('link', { name: 'Open in wallet app' })
    expect(await open.getAttribute('href')).toContain('ethereum:')
    await onPhone.page.getByText('Pay from another device').click()
    const codeTop = (await onPhone.page.locator('.code.link svg').boundingBox())?.y ?? 0
    const links = [
      open,
      ...['MetaMask', 'Coinbase Wallet', 'Trust Wallet'].map((name) =>
        onPhone.page.getByRole('link', { name }),
      ),
    ]
    for (const link of links) expect((await link.boundingBox())?.y).toBeLessThan(codeTop)
    await onPhone.close()
    const atDesk = await openAsBuyer(browser, harness.put('desk'))
    expect(await atDesk.page.getByText('Open in wallet app').count()).toBe(0)
    await atDesk.close()
  })

  it('point 24: runs out in the open page, the code goes, and one button gets a fresh price', async () => {
    const url = harness.put('runs-out', (now) => ({
      attempt: makeAttempt('USDC', now, { expiresAt: now + 2_500 }),
      payment: { state: 'awaiting' },
    }))
    const buyer = await openAsBuyer(browser, url)
    const heard = await listen(buyer.page)
    await buyer.page.getByRole('heading', { name: 'This price has expired' }).waitFor()
    expect(await buyer.page.locator('.qr').count()).toBe(0)
    expect((await heard()).filter((text) => text.includes('has expired'))).toHaveLength(1)
    expect(await buyer.page.locator('#stage .button').allInnerTexts()).toEqual(['Get a new price'])
    await buyer.page.getByRole('link', { name: 'Get a new price' }).click()
    await buyer.page.locator('.code.link svg').waitFor()
    await buyer.close()
  })

  it('point 25: counts down without speaking each second', async () => {
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

describe('a way back to the shop', () => {
  const back = (buyer: BuyerPage) => buyer.page.getByRole('link', { name: 'Back to shop.example' })

  it('is there before the payment, in every state that is unpaid, and not after it', async () => {
    const shopUrl = 'https://shop.example/'
    const buyer = await openAsBuyer(browser, harness.put('before', { shopUrl }))
    expect(await back(buyer).getAttribute('href')).toBe(shopUrl)
    harness.put('before', { ...seen, shopUrl })
    await buyer.page.getByText('1 of 3 confirmations').waitFor()
    expect(await back(buyer).count()).toBe(1)
    harness.put('before', { ...paid, shopUrl })
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect(await back(buyer).count()).toBe(0)
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
