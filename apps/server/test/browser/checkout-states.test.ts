import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Outage } from '../../src/kernel/outage.ts'
import { Refusal } from '../../src/kernel/refusal.ts'
import { launchBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { type CheckoutHarness, startCheckoutHarness } from '../support/browser/checkout-harness.ts'
import { addresses, makeAttempt, type ViewChanges } from '../support/browser/checkout-views.ts'

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
const failure = {
  code: 'PORTAL_PAY_ISSUER_DECLINED',
  category: 'card_decline',
  providerRequestId: 'req_9sX2',
} as const
const refundHash = `0x${'f0'.repeat(32)}`
function refunds(...list: readonly (readonly [usd: number, isConfirmed: boolean])[]) {
  const confirmed = list.filter(([, isConfirmed]) => isConfirmed).map(([usd]) => usd)
  return {
    refunds: list.map(([usd, isConfirmed]) => ({
      usd,
      kind: 'price' as const,
      isConfirmed,
      transactionHash: refundHash,
    })),
    refundedUsd: confirmed.reduce((sum, usd) => sum + usd, 0),
  }
}
const states: Readonly<
  Record<
    string,
    {
      changes: ViewChanges | ((now: number) => ViewChanges)
      /** What is answered where an offer is asked for. */
      refusal?: Refusal | Outage
      says: readonly string[]
    }
  >
> = {
  pay: { changes: {}, says: ['Pay 25.00 USDC'] },
  short: {
    changes: (now) => ({
      attempt: makeAttempt('USDC', now, { amount: '25000000', remaining: '9999999' }),
      payment: { ...full, state: 'short', received: '15000001', missing: '9999999' },
    }),
    says: ['Part of the payment arrived', '15.000001 USDC', '9.999999 USDC'],
  },
  'short-expired': {
    changes: { payment: { ...full, state: 'short', received: '15000001', missing: '9999999' } },
    says: ['Part of the payment arrived', 'Get a new price for the rest'],
  },
  expired: {
    changes: { payment: { state: 'expired' } },
    says: ['This price has expired', 'Get a new price'],
  },
  'expired-funds': {
    changes: { payment: { ...full, state: 'expired' } },
    says: ['arrived too late', 'Do not pay again'],
  },
  'receipt-expired': {
    changes: (now) => ({ expiresAt: now - 1 }),
    says: ['request has expired', 'Ask Harbour Coffee'],
  },
  'cannot-pay': {
    changes: { canPay: false },
    says: ['Payments are not available yet', 'Do not send anything'],
  },
  'out-of-limits': {
    changes: {},
    refusal: new Refusal('invalid_amount', 'Above what is taken here'),
    says: ['cannot be paid here', 'Do not send anything', 'ask Harbour Coffee Roasters'],
  },
  'no-offer': {
    changes: {},
    refusal: new Outage('exchange_rate', 'No source agrees'),
    says: ['No price available right now', 'Try again'],
  },
  pending: {
    changes: { payment: { ...full, state: 'seen', confirmations: 1, requiredConfirmations: 3 } },
    says: ['waiting for the network', '1 of 3 confirmations', hash],
  },
  'pending-final': {
    changes: { payment: { ...full, state: 'seen', confirmations: 9, requiredConfirmations: 0 } },
    says: ['waiting for the network', 'finalizing it'],
  },
  orphaned: {
    changes: { status: 'paid', payment: { ...full, state: 'orphaned' } },
    says: ['reversed this payment’s block', 'Do not pay again'],
  },
  paid: {
    changes: { status: 'paid', transactionHash: hash, payment: { ...full, state: 'paid' } },
    says: ['Payment complete', '25.00 USDC', hash],
  },
  reconciled: {
    changes: { status: 'reconciled', transactionHash: hash, payment: { ...full, state: 'paid' } },
    says: ['Payment complete'],
  },
  overpaid: {
    changes: { status: 'paid', payment: { ...full, received: '26000001', excess: '1000001', state: 'over' } },
    says: ['Payment complete', '1.000001 USDC more than was asked'],
  },
  'paid-late': {
    changes: { status: 'paid', payment: { ...full, state: 'late' } },
    says: ['Payment complete', 'after its price had expired'],
  },
  'paid-by-hand': { changes: { status: 'paid' }, says: ['Payment complete'] },
  'bank-pending': { changes: { status: 'paid - ach pending' }, says: ['Bank payment accepted'] },
  failed: {
    changes: { status: 'failed', failure },
    says: [
      'The payment failed',
      'Your bank declined the card payment',
      'Call your bank',
      'Pay another way',
      'req_9sX2',
    ],
  },
  'failed-for-good': {
    changes: { status: 'failed', failure: { ...failure, code: 'PORTAL_PAY_TRANSACTION_BLOCKED' } },
    says: ['The payment failed', 'could not complete this payment', 'Nothing was charged', 'req_9sX2'],
  },
  cancelled: {
    changes: (now) => ({ cancelledAt: now }),
    says: ['request was cancelled', 'Do not send anything'],
  },
  'refund-requested': {
    changes: { status: 'refund_requested', payment: { ...full, state: 'paid' } },
    says: ['Refund requested'],
  },
  refunded: {
    changes: { status: 'refunded', ...refunds([25, true]), payment: { ...full, state: 'paid' } },
    says: ['Payment refunded', '$25.00', refundHash],
  },
  'partly-refunded': {
    changes: { status: 'paid', ...refunds([5.5, true], [2, false]), payment: { ...full, state: 'paid' } },
    says: ['Partly refunded', 'has returned $5.50 of it', refundHash, '$2.00 sent, not confirmed yet'],
  },
}
const mayBePaid = new Set(['pay', 'short'])

describe.each(Object.entries(states))('the state %s', (name, { changes, refusal, says }) => {
  beforeEach(() => {
    if (refusal) harness.fault.open = refusal
  })
  afterEach(() => {
    delete harness.fault.open
  })

  it('has a panel of its own that says what is so, with no violation of WCAG 2.2 AA in light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const buyer = await openAsBuyer(browser, harness.put(name, changes), { colorScheme })
      const text = await buyer.page.locator('#panel').innerText()
      for (const part of says) expect(text).toContain(part)
      const payParts = buyer.page.locator('.qr, .copy, .wallets, .address')
      expect((await payParts.count()) > 0).toBe(mayBePaid.has(name))
      expect(await violations(buyer.page)).toEqual([])
      expect(buyer.problems).toEqual([])
      await buyer.close()
    }
  })
})

it('an unknown receipt is a page with 404 of its own, without a violation', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const buyer = await openAsBuyer(browser, `${harness.url}/portal/unknown`, { colorScheme })
    expect(await buyer.page.locator('h1').innerText()).toBe('Payment not found')
    expect(await violations(buyer.page)).toEqual([])
    await buyer.close()
  }
  const status = async (path: string) => (await fetch(harness.url + path)).status
  harness.put('known')
  harness.put('done', { status: 'refunded' })
  expect(await status('/portal/unknown')).toBe(404)
  expect(await status('/pay/known')).toBe(200)
  expect(await status('/portal/done')).toBe(200)
  expect(await status(`/pay/known?recipient=${addresses.merchant}`)).toBe(200)
  expect(await status(`/pay/known?recipient=${addresses.split}`)).toBe(404)
  expect(await status('/pay/unknown/events')).toBe(404)
})

it('every target is 24 pixels at least, the main ones 44, and nothing scrolls sideways at 320', async () => {
  const long = 'W'.repeat(180)
  const url = harness.put('narrow', {
    brandName: long,
    lineItems: [{ label: long, priceUsd: 1_000_000_000 }],
  })
  const buyer = await openAsBuyer(browser, url, { viewport: { width: 320, height: 700 } })
  const sizes = await buyer.page.evaluate<
    { text: string; height: number; width: number; isMain: boolean }[]
  >(`
    [...document.querySelectorAll('a, button, summary, .tabs label')]
      .filter((it) => it.checkVisibility() && !it.matches('.skip, p a'))
      .map((it) => ({ text: it.textContent, height: it.getBoundingClientRect().height,
        width: it.getBoundingClientRect().width, isMain: it.matches('.button, .wallet, .tokens a, .tabs label') }))`)
  expect(sizes.length).toBeGreaterThan(4)
  for (const { text, height, width, isMain } of sizes) {
    expect(height, text).toBeGreaterThanOrEqual(isMain ? 44 : 24)
    expect(width, text).toBeGreaterThanOrEqual(24)
  }
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  expect(await buyer.page.evaluate(overflow)).toBe(0)
  await buyer.close()
})

it('nothing moves where the buyer asked for less motion', async () => {
  const url = harness.put('still', { payment: { ...full, state: 'seen' } })
  const buyer = await openAsBuyer(browser, url, { reducedMotion: 'reduce' })
  expect(await buyer.page.evaluate('document.getAnimations().length')).toBe(0)
  await buyer.close()
})

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return page.evaluate<string[]>(`
    axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
      .then(({ violations }) => violations.map((it) => it.id + ': ' + it.nodes.map((node) => node.html).join(' ')))`)
}
