import { failures } from '@sluice/protocol/failure-catalogue.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { startCheckoutStage } from '../support/browser/checkout-stage.ts'
import { checkoutStates, openState } from '../support/browser/checkout-states.ts'
import { addresses, paymentHash, refundHash } from '../support/browser/checkout-views.ts'
import { violations } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'

const stage = perFile(() => startCheckoutStage({ walletConnectProject: 'test-project' }))
const buyer = perFile(() => stage.open('about:blank'))

const says: Readonly<Record<string, readonly string[]>> = {
  card: ['Pay 25.00 USDC', 'Pay by card or bank', 'card sandbox'],
  'card-away': ['Card payments are currently unavailable', 'Pay by card or bank'],
  'card-confirming': ['Partial payment received', 'Your payment is being confirmed'],
  provider: ['Checking your payment', 'Do not pay again', 'Choose a way to pay'],
  'failed-card': [
    'The payment failed',
    'insufficient funds',
    'Try again with a card',
    'Pay another way',
    'req_9sX2',
  ],
  pay: ['Pay 25.00 USDC'],
  short: ['Partial payment received', '15.000001 USDC', '9.999999 USDC'],
  'short-expired': ['Partial payment received', 'Get a new price'],
  expired: ['This price has expired', 'Get a new price'],
  'wrong-token': ['Pay 25.00 USDC', 'does not count toward this order', 'Claim this payment'],
  walletconnect: ['Scan with your wallet', 'Copy link'],
  'expired-funds': ['Partial payment received', 'Do not pay again'],
  'part-returned': ['Partial payment received', 'has refunded $15.00', 'do not need to pay'],
  'receipt-expired': ['request has expired', 'Ask Harbour Coffee'],
  'cannot-pay': ['Payments are not available yet', 'Do not send money'],
  'out-of-limits': ['cannot be paid here', 'Do not send money', 'Ask Harbour Coffee Roasters'],
  'no-offer': ['No price available', 'Try again'],
  'pay-by-signature': ['Pay 25.00 USDC', 'one signature and no network fee'],
  relaying: ['Your payment is on its way', 'We accepted your signature', paymentHash],
  'signed-in-vain': ['Pay 25.00 USDC', 'Your signed payment did not go through. Nothing was charged'],
  pending: ['Waiting for confirmation', '1 of 3 confirmations', paymentHash],
  'pending-final': ['Waiting for confirmation', 'is finalizing your payment'],
  orphaned: ['network reversed your payment', 'Do not pay again'],
  paid: ['Payment complete', '25.00 USDC', paymentHash],
  'paid-return': ['Payment complete', 'Return to Harbour Coffee Roasters', 'Cancel'],
  'on-success': ['Payment complete', 'Continue to shop.example', 'Cancel'],
  'paid-twice': ['Payment complete', '2 payments that do not count', 'Claim this payment'],
  reconciled: ['Payment complete'],
  overpaid: ['Payment complete', 'You paid 1.000001 USDC too much'],
  'paid-late': ['Payment complete', 'after the price had expired'],
  'paid-by-hand': ['Payment complete'],
  'bank-pending': ['Bank payment accepted', 'within five business days'],
  failed: [
    'The payment failed',
    'Your bank declined the card payment',
    'Call your bank',
    'Pay another way',
    'req_9sX2',
  ],
  'failed-stopped': ['The payment was not completed', 'You can start again', 'Pay another way'],
  'failed-for-good': [
    'The payment failed',
    'could not complete this payment',
    'Nothing was charged',
    'Pay another way',
    'req_9sX2',
  ],
  cancelled: ['request was cancelled', 'Do not send money'],
  'refund-requested': ['Refund requested'],
  refunded: ['Payment refunded', '$25.00', refundHash],
  'partly-refunded': [
    'Partially refunded',
    'has refunded $5.50',
    refundHash,
    '$2.00 sent, not confirmed yet',
  ],
}

const panels = Object.keys(checkoutStates).map(
  (name) => [name, says[name] ?? ['texts of a new state']] as const,
)

const plainOffers = ['pay', 'pay-by-signature', 'signed-in-vain', 'wrong-token', 'card', 'card-away']
const payable = new Set([...plainOffers, 'short', 'card-confirming'])

describe.each(panels)('the state %s', (name, texts) => {
  beforeAll(() => openState(stage.harness, buyer.page, name))

  it.each([
    'light',
    'dark',
  ] as const)('point 33: has a panel of its own without a violation of WCAG 2.2 AA, in %s', async (colorScheme) => {
    const { page } = buyer
    await page.emulateMedia({ colorScheme })
    const text = await page.locator('#panel').innerText()
    for (const part of texts) expect(text).toContain(part)
    const payParts = page.locator('.qr:not(.pairing *), .copy, .wallets, .address')
    expect((await payParts.count()) > 0).toBe(payable.has(name))
    expect(await violations(page)).toEqual([])
  })
})

it('point 40: every state but the plain offer says what it is by a heading and a sign, which no other tone has', async () => {
  const signs = new Map<string, Set<string>>()
  const { page, close } = await stage.open('about:blank')
  for (const name of Object.keys(checkoutStates)) {
    await openState(stage.harness, page, name)
    expect((await page.locator('#stage h2').innerText()).length, name).toBeGreaterThan(5)
    if (plainOffers.includes(name)) continue
    const head = page.locator('#stage .head')
    expect(await head.locator('.badge svg path').isVisible(), name).toBe(true)
    const drawn = (await head.locator('.badge svg path').getAttribute('d')) ?? ''
    signs.set(drawn, (signs.get(drawn) ?? new Set()).add((await head.getAttribute('data-tone')) ?? ''))
  }
  await close()
  const good = [...signs.values()].filter((tones) => tones.has('good'))
  expect(good).toEqual([new Set(['good'])])
})

it.each([
  'paid-late',
  'overpaid',
])('point 23: %s is shown as paid, with the reason and never as expired', async (name) => {
  const buyer = await stage.open(stage.harness.put(name, checkoutStates[name]?.changes))
  const text = await buyer.page.locator('body').innerText()
  expect(text).toContain('Payment complete')
  expect(text).not.toMatch(/has expired/)
  await buyer.close()
})

it('point 24: expired with money on it tells not to pay again and offers no price', async () => {
  const buyer = await stage.open(stage.harness.put('funds', checkoutStates['expired-funds']?.changes))
  expect(await buyer.page.locator('#panel').innerText()).toContain('Do not pay again')
  expect(await buyer.page.locator('#stage .button').count()).toBe(0)
  await buyer.close()
})

it('point 27: a failure shows words for the buyer and the reference, and nothing that is meant for the merchant', async () => {
  const url = stage.harness.put('why', checkoutStates.failed?.changes)
  const buyer = await stage.open(url)
  const shown = await buyer.page.locator('#stage').innerText()
  for (const text of ['Your bank declined the card payment', 'Call your bank', 'req_9sX2'])
    expect(shown).toContain(text)
  const { reason, action } = failures.PORTAL_PAY_ISSUER_DECLINED
  const html = await buyer.page.content()
  for (const text of [reason, action, 'PORTAL_PAY']) expect(html).not.toContain(text)
  await buyer.close()
})

it.each([
  ['paid', 200, 'h2', 'Payment complete'],
  ['refunded', 200, 'h2', 'Payment refunded'],
  ['unknown', 404, 'h1', 'Payment not found'],
])('point 29: what is %s has its own panel, with the status %d', async (state, status, heading, says) => {
  const known = checkoutStates[state]
  if (known) stage.harness.put(`own-${state}`, known.changes)
  const { page, problems, close } = await openAsBuyer(stage.browser, 'about:blank')
  for (const path of ['pay', 'portal']) {
    const response = await page.goto(`${stage.harness.url}/${path}/own-${state}`)
    expect(response?.status()).toBe(status)
    expect(await page.locator(heading).innerText()).toBe(says)
    expect(await page.locator('.qr, .copy, .wallets').count()).toBe(0)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await violations(page)).toEqual([])
    }
  }
  const isStatus = (each: string) => each.includes('the server responded with a status of 404')
  expect(problems.filter((each) => !isStatus(each))).toEqual([])
  await close()
})

it('point 31: another recipient has no page of the receipt, no status and no events', async () => {
  const url = stage.harness.put('known')
  const status = async (path: string) => (await fetch(url + path)).status
  expect(await status(`?recipient=${addresses.merchant}`)).toBe(200)
  for (const part of ['', '/status', '/events'])
    expect([part, await status(`${part}?recipient=${addresses.split}`)]).toEqual([part, 404])
})

it('says that money of a test network is none, and nothing of the kind where it is', async () => {
  const real = { id: 8453, name: 'Base', explorerUrl: 'https://basescan.org' }
  const test = { id: 84532, name: 'Base Sepolia', explorerUrl: 'https://sepolia.basescan.org' }
  const message = async (chain: typeof real) =>
    (await (await fetch(stage.harness.put('network', { chain }))).text()).match(
      /<p class="strip">(.*?)<\/p>/,
    )?.[1]
  expect(await message(test)).toContain('Base Sepolia uses test money')
  expect(await message(real)).toBeUndefined()
})

it('point 44: no state leaves an error in the console or a report of the policy', () => {
  expect([...stage.problems, ...buyer.problems]).toEqual([])
})
