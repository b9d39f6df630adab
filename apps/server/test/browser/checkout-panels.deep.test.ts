import { afterEach, describe, expect, it } from 'vitest'
import { type BuyerPage, bottomOf, listen, phone } from '../support/browser/checkout-browser.ts'
import { startCheckoutStage } from '../support/browser/checkout-stage.ts'
import { checkoutStates } from '../support/browser/checkout-states.ts'
import {
  addresses,
  makeAttempt,
  paidView,
  paymentHash,
  pendingView,
} from '../support/browser/checkout-views.ts'
import { readQr } from '../support/browser/read-qr.ts'
import { perFile } from '../support/per-file.ts'

const stage = perFile(() => startCheckoutStage())
afterEach(() => {
  stage.harness.clock.skewMs = 0
})

describe('an offer', () => {
  it.each([
    ['at a desk', {}],
    ['on a phone', phone],
  ])('point 1: %s without scripts, total, token amount, address, network and code are visible', async (_name, device) => {
    const buyer = await stage.open(stage.harness.put('no-script'), {
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
    await buyer.page.getByRole('heading', { name: 'Pay 0.008334 ETH' }).waitFor()
    expect(await readQr(buyer.page.locator('.code.link svg'))).toBe(
      `ethereum:${addresses.deposit}@31337?value=8334000000000000`,
    )
    await buyer.close()
  })

  it('point 2: total, brand and first item are in the first screen of a phone', async () => {
    const buyer = await stage.open(stage.harness.put('first-screen'), phone)
    for (const part of ['h1', '.order > summary strong', '.order > summary bdi'])
      expect(await bottomOf(buyer.page, part)).toBeLessThan(844)
    await buyer.close()
  })

  it('point 3: has two codes, the payment link and the address only', async () => {
    const buyer = await stage.open(stage.harness.put('codes'))
    expect(await readQr(buyer.page.locator('.code.link svg'))).toBe(
      `ethereum:${addresses.usdc}@31337/transfer?address=${addresses.deposit}&uint256=25000000`,
    )
    await buyer.page.getByRole('radio', { name: 'Address only' }).check()
    expect(await buyer.page.locator('.code.link svg').isVisible()).toBe(false)
    expect(await readQr(buyer.page.locator('.code.address svg'))).toBe(addresses.deposit)
    await buyer.close()
  })

  it('point 5: shows the address in full, not cut in the middle', async () => {
    const buyer = await stage.open(stage.harness.put('address'), {
      viewport: { width: 320, height: 640 },
    })
    const address = buyer.page.locator('dd .address')
    expect(await address.innerText()).toBe(addresses.deposit)
    const cut =
      "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('dd .address'))"
    expect(await buyer.page.evaluate(cut)).toBeLessThanOrEqual(0)
    await buyer.close()
  })

  it('point 9: links into wallet apps come before the code on a phone, and are nowhere else', async () => {
    const onPhone = await stage.open(stage.harness.put('phone'), phone)
    const open = onPhone.page.getByRole('link', { name: 'Open in wallet app' })
    expect(await open.getAttribute('href')).toContain('ethereum:')
    await onPhone.page.getByText('Pay from another device').click()
    const code = onPhone.page.locator('.code.link svg')
    await code.waitFor()
    const codeTop = (await code.boundingBox())?.y ?? 0
    const links = [
      open,
      ...['MetaMask', 'Coinbase Wallet', 'Trust Wallet'].map((name) =>
        onPhone.page.getByRole('link', { name }),
      ),
    ]
    for (const link of links) {
      await link.waitFor()
      expect((await link.boundingBox())?.y).toBeLessThan(codeTop)
    }
    await onPhone.close()
    const atDesk = await stage.open(stage.harness.put('desk'))
    expect(await atDesk.page.getByText('Open in wallet app').count()).toBe(0)
    await atDesk.close()
  })

  it('point 24: runs out in the open page, the code goes, and one button gets a fresh price', async () => {
    const url = stage.harness.put('runs-out', (now) => ({
      attempt: makeAttempt('USDC', now, { expiresAt: now + 60_000 }),
      payment: { state: 'awaiting' },
    }))
    const buyer = await stage.open(url, { hasClock: true })
    const heard = await listen(buyer.page)
    stage.harness.clock.skewMs = 61_000
    await buyer.page.clock.fastForward(61_000)
    await buyer.page.getByRole('heading', { name: 'This price has expired' }).waitFor()
    expect(await buyer.page.locator('.qr').count()).toBe(0)
    const expired = async () => (await heard()).filter((text) => text.includes('has expired'))
    await expect.poll(expired).toHaveLength(1)
    expect(await buyer.page.locator('#stage .button').allInnerTexts()).toEqual(['Get a new price'])
    stage.harness.put('opened-again', { payment: { state: 'expired' } })
    const again = await stage.open(url.replace('runs-out', 'opened-again'))
    await again.page.locator('.code.link svg').waitFor()
    await again.close()
    await buyer.page.getByRole('link', { name: 'Get a new price' }).click()
    await buyer.page.locator('.code.link svg').waitFor()
    await buyer.close()
  })
})

describe('a way back to the shop', () => {
  const back = (buyer: BuyerPage) => buyer.page.getByRole('link', { name: 'Back to shop.example' })

  it('is there before the payment, in every state that is unpaid, and not after it', async () => {
    const shopUrl = 'https://shop.example/'
    const buyer = await stage.open(stage.harness.put('before', { shopUrl }))
    expect(await back(buyer).getAttribute('href')).toBe(shopUrl)
    stage.harness.put('before', { ...pendingView, shopUrl })
    await buyer.page.getByText('1 of 3 confirmations').waitFor()
    expect(await back(buyer).count()).toBe(1)
    stage.harness.put('before', { ...paidView, shopUrl })
    await buyer.page.getByRole('heading', { name: 'Payment complete' }).waitFor()
    expect(await back(buyer).count()).toBe(0)
    await buyer.close()
  })
})

describe('money that counts towards no receipt', () => {
  it('is told of on an open page, once and in words, with the way to claim it; and no more once that is decided', async () => {
    const unmatched = [{ transactionHash: paymentHash }]
    const buyer = await stage.open(`${stage.harness.put('stray')}?lang=en`)
    const link = buyer.page.getByRole('link', { name: 'Claim this payment' })
    expect(await link.count()).toBe(0)
    const heard = await listen(buyer.page)
    stage.harness.put('stray', (now) => ({ attempt: makeAttempt('USDC', now), unmatched }))
    await link.waitFor()
    expect(await link.getAttribute('href')).toBe(`/claim?hash=${paymentHash}&lang=en`)
    expect(await buyer.page.locator('.code.link svg').isVisible()).toBe(true)
    await expect
      .poll(heard)
      .toEqual([expect.stringMatching(/^status: We received a payment that does not count/)])
    stage.harness.put('stray', (now) => ({ attempt: makeAttempt('USDC', now) }))
    await link.waitFor({ state: 'detached' })
    await buyer.page.getByText('Help with this payment').click()
    expect(
      await buyer.page.getByRole('link', { name: 'Find it by transaction hash' }).getAttribute('href'),
    ).toBe('/claim?lang=en')
    await buyer.close()
  })

  it.each([
    'expired-funds',
    'paid-late',
    'short-expired',
    'orphaned',
    'expired',
    'cancelled',
    'refunded',
  ])('is told of on the panel %s', async (name) => {
    const changes = checkoutStates[name]?.changes
    const known = typeof changes === 'function' ? changes(Date.now()) : changes
    const url = stage.harness.put('stray-panel', { ...known, unmatched: [{ transactionHash: paymentHash }] })
    const buyer = await stage.open(`${url}?keep`)
    const link = buyer.page.getByRole('link', { name: 'Claim this payment' })
    expect(await link.getAttribute('href')).toBe(`/claim?hash=${paymentHash}`)
    expect(buyer.problems).toEqual([])
    await buyer.close()
  })
})

it('point 44: none of this leaves an error in the console or a report of the policy', () => {
  expect(stage.problems).toEqual([])
})
