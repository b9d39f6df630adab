import type { Page } from 'playwright-core'
import { Outage } from '../../../src/kernel/outage.ts'
import { Refusal } from '../../../src/kernel/refusal.ts'
import { cardStates } from './card-states.ts'
import type { CheckoutHarness } from './checkout-harness.ts'
import type { CheckoutState } from './checkout-state.ts'
import {
  failure,
  fullPayment,
  paidView,
  paymentHash,
  pendingView,
  refundHash,
  refunds,
  shortView,
  signedPayment,
} from './checkout-state-views.ts'
import { makeAttempt } from './checkout-views.ts'
import { PairingRelay } from './pairing-relay.ts'

const thanks = 'https://shop.example/thanks'
/** The page of the shop answers with nothing, so that the checkout stays in sight however long it is looked at. */
const keepFromLeaving = (page: Page) =>
  page.route('https://shop.example/**', (route) => route.fulfill({ status: 204 }))

/** Every state of the checkout, as a view of it, and what its panel says. */
export const checkoutStates: Readonly<Record<string, CheckoutState>> = {
  ...cardStates,
  pay: { changes: {}, says: ['Pay 25.00 USDC'] },
  short: {
    changes: shortView,
    says: ['Part of the payment arrived', '15.000001 USDC', '9.999999 USDC'],
  },
  'short-expired': {
    changes: { payment: { ...fullPayment, state: 'short', received: '15000001', missing: '9999999' } },
    says: ['Part of the payment arrived', 'Get a new price for the rest'],
  },
  expired: {
    changes: { payment: { state: 'expired' } },
    says: ['This price has expired', 'Get a new price'],
  },
  'wrong-token': {
    changes: (now) => ({ attempt: makeAttempt('USDC', now), unmatched: [{ transactionHash: paymentHash }] }),
    says: ['Pay 25.00 USDC', 'does not count here', 'Claim this payment'],
  },
  walletconnect: {
    changes: {},
    hasWalletConnect: true,
    prepare: (page) => new PairingRelay().serve(page.context()),
    async reach(page) {
      await page.locator('[data-act=wallet]', { hasText: 'WalletConnect' }).click()
      await page.locator('.pairing svg').waitFor()
    },
    says: ['Scan with your wallet', 'Copy link'],
  },
  'expired-funds': {
    changes: { payment: { ...fullPayment, state: 'expired' } },
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
  'pay-by-signature': {
    changes: { signableTokens: ['USDC'] },
    says: ['Pay 25.00 USDC', 'one signature and no network fee'],
  },
  relaying: {
    changes: { signedPayment: signedPayment('sent') },
    says: ['Your payment is on its way', 'The signature was accepted', paymentHash],
  },
  'signed-in-vain': {
    changes: (now) => {
      const attempt = makeAttempt('USDC', now)
      const failed = { ...signedPayment('failed'), reason: 'insufficient_funds', transactionHash: null }
      return { attempt, signedPayment: { ...failed, attemptId: attempt.attemptId } }
    },
    says: ['Pay 25.00 USDC', 'The signed payment was not made, and nothing was charged'],
  },
  pending: {
    changes: pendingView,
    says: ['waiting for the network', '1 of 3 confirmations', paymentHash],
  },
  'pending-final': {
    changes: { payment: { ...fullPayment, state: 'seen', confirmations: 9, requiredConfirmations: 0 } },
    says: ['waiting for the network', 'finalizing it'],
  },
  orphaned: {
    changes: { status: 'paid', payment: { ...fullPayment, state: 'orphaned' } },
    says: ['reversed this payment’s block', 'Do not pay again'],
  },
  paid: {
    changes: paidView,
    says: ['Payment complete', '25.00 USDC', paymentHash],
  },
  'paid-return': {
    changes: {
      ...paidView,
      returnUrl: thanks,
    },
    prepare: keepFromLeaving,
    says: ['Payment complete', 'Return to Harbour Coffee Roasters', 'Cancel'],
  },
  'on-success': {
    changes: paidView,
    script: `parent.postMessage({ redirect: '${thanks}' }, '*')`,
    prepare: keepFromLeaving,
    async reach(page) {
      await page.locator('a[data-return]').waitFor()
    },
    says: ['Payment complete', 'Continue to shop.example', 'Cancel'],
  },
  'paid-twice': {
    changes: {
      ...paidView,
      unmatched: [{ transactionHash: refundHash }, { transactionHash: paymentHash }],
    },
    says: ['Payment complete', '2 payments have arrived', 'Claim this payment'],
  },
  reconciled: {
    changes: {
      status: 'reconciled',
      transactionHash: paymentHash,
      payment: { ...fullPayment, state: 'paid' },
    },
    says: ['Payment complete'],
  },
  overpaid: {
    changes: {
      status: 'paid',
      payment: { ...fullPayment, received: '26000001', excess: '1000001', state: 'over' },
    },
    says: ['Payment complete', '1.000001 USDC more than was asked'],
  },
  'paid-late': {
    changes: { status: 'paid', payment: { ...fullPayment, state: 'late' } },
    says: ['Payment complete', 'after its price had expired'],
  },
  'paid-by-hand': { changes: { status: 'paid' }, says: ['Payment complete'] },
  'bank-pending': {
    changes: { status: 'paid - ach pending' },
    says: ['Bank payment accepted', 'within five business days'],
  },
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
    changes: { status: 'refund_requested', payment: { ...fullPayment, state: 'paid' } },
    says: ['Refund requested'],
  },
  refunded: {
    changes: { status: 'refunded', ...refunds([25, true]), payment: { ...fullPayment, state: 'paid' } },
    says: ['Payment refunded', '$25.00', refundHash],
  },
  'partly-refunded': {
    changes: {
      status: 'paid',
      ...refunds([5.5, true], [2, false]),
      payment: { ...fullPayment, state: 'paid' },
    },
    says: ['Partly refunded', 'has returned $5.50 of it', refundHash, '$2.00 sent, not confirmed yet'],
  },
}

/** The states that can be paid from. */
export const payableStates: ReadonlySet<string> = new Set([
  'pay',
  'pay-by-signature',
  'signed-in-vain',
  'short',
  'wrong-token',
  'card',
  'card-away',
])

/** Opens a state of the checkout in a page. */
export async function openState(
  harness: CheckoutHarness,
  page: Page,
  name: string,
  { id = name, query = '' }: { id?: string; query?: string } = {},
): Promise<void> {
  const state = checkoutStates[name]
  harness.site.walletConnectProject = state?.hasWalletConnect ? 'test-project' : undefined
  if (state?.refusal) harness.fault.open = state.refusal
  if (state?.script !== undefined) harness.scripts.set(id, state.script)
  try {
    await state?.prepare?.(page)
    const url = new URL(harness.put(id, state?.changes) + query)
    for (const [name, value] of new URLSearchParams(state?.query)) url.searchParams.set(name, value)
    await page.goto(url.href)
    await state?.reach?.(page)
  } finally {
    delete harness.fault.open
  }
}
