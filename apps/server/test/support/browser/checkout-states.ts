import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import type { Page } from 'playwright-core'
import { Outage } from '../../../src/kernel/outage.ts'
import { Refusal } from '../../../src/kernel/refusal.ts'
import {
  makeAttempt,
  paidAs,
  paidView,
  paymentHash,
  pendingView,
  refundHash,
  shortView,
  type ViewChanges,
} from './checkout-views.ts'
import type { PageHarness } from './page-harness.ts'
import { PairingRelay } from './phone-wallet.ts'

/** A state of the checkout. */
type CheckoutState = {
  readonly changes: ViewChanges | ((now: number) => ViewChanges)
  /** Texts of the panel. */
  readonly says: readonly string[]
  /** The answer to the request for an offer. */
  readonly refusal?: Refusal | Outage
  /** The merchant's script. */
  readonly script?: string
  readonly hasWalletConnect?: boolean
  /** Runs before the page opens. */
  readonly prepare?: (page: Page) => Promise<unknown>
  /** Brings the open page into the state. */
  readonly reach?: (page: Page) => Promise<void>
  /** Query parameters in addition to the receipt's. */
  readonly query?: string
}

function state(
  changes: CheckoutState['changes'],
  says: CheckoutState['says'],
  more: Omit<CheckoutState, 'changes' | 'says'> = {},
): CheckoutState {
  return { changes, says, ...more }
}

const thanks = 'https://shop.example/thanks'
const done = 'Payment complete'
/** An empty response of the shop, so that the checkout stays open. */
const stay = (page: Page) => page.route('https://shop.example/**', (route) => route.fulfill({ status: 204 }))

const card = { provider: 'sandbox', methods: ['card', 'ach'], session: null } satisfies CheckoutView['onramp']
const failed = (code: string): ViewChanges => ({
  status: 'failed',
  failure: { code, category: 'card_decline', providerRequestId: 'req_9sX2' },
})
const refund = (usd: number, isConfirmed: boolean) =>
  ({ usd, kind: 'price', isConfirmed, transactionHash: refundHash }) as const
const signed = {
  state: 'sent',
  reason: null,
  attemptId: 'attempt',
  payer: `0x${'12'.repeat(20)}`,
  amount: '25000000',
  transactionHash: paymentHash,
  createdAt: 0,
} satisfies CheckoutView['signedPayment']

/** Every state of the checkout by name. */
export const checkoutStates: Readonly<Record<string, CheckoutState>> = {
  card: state({ onramp: card }, ['Pay 25.00 USDC', 'Pay by card or bank', 'card sandbox']),
  'card-away': state(
    { onramp: { ...card, provider: 'stripe' } },
    ['Card payments are not available right now', 'Pay by card or bank'],
    { query: 'onramp=away' },
  ),
  provider: state(
    { onramp: { ...card, session: 'open' } },
    ['Checking your payment', 'Do not pay again', 'Choose a way to pay'],
    { query: 'onramp=back' },
  ),
  'failed-card': state(
    { ...failed('PORTAL_PAY_INSUFFICIENT_FUNDS'), onramp: { ...card, session: 'failed' } },
    ['The payment failed', 'enough funds', 'Try again by card', 'Pay another way', 'req_9sX2'],
  ),
  pay: state({}, ['Pay 25.00 USDC']),
  short: state(shortView, ['Part of the payment arrived', '15.000001 USDC', '9.999999 USDC']),
  'short-expired': state(paidAs('short', { received: '15000001', missing: '9999999' }), [
    'Part of the payment arrived',
    'Get a new price for the rest',
  ]),
  expired: state({ payment: { state: 'expired' } }, ['This price has expired', 'Get a new price']),
  'wrong-token': state(
    (now) => ({ attempt: makeAttempt('USDC', now), unmatched: [{ transactionHash: paymentHash }] }),
    ['Pay 25.00 USDC', 'does not count here', 'Claim this payment'],
  ),
  walletconnect: state({}, ['Scan with your wallet', 'Copy link'], {
    hasWalletConnect: true,
    prepare: (page) => new PairingRelay().serve(page.context()),
    async reach(page) {
      await page.locator('[data-act=wallet]', { hasText: 'WalletConnect' }).click()
      await page.locator('.pairing svg').waitFor()
    },
  }),
  'expired-funds': state(paidAs('expired'), ['arrived too late', 'Do not pay again']),
  'receipt-expired': state((now) => ({ expiresAt: now - 1 }), ['request has expired', 'Ask Harbour Coffee']),
  'cannot-pay': state({ canPay: false }, ['Payments are not available yet', 'Do not send anything']),
  'out-of-limits': state({}, ['cannot be paid here', 'Do not send anything', 'ask Harbour Coffee Roasters'], {
    refusal: new Refusal('invalid_amount', 'Above what is taken here'),
  }),
  'no-offer': state({}, ['No price available right now', 'Try again'], {
    refusal: new Outage('exchange_rate', 'No source agrees'),
  }),
  'pay-by-signature': state({ signableTokens: ['USDC'] }, [
    'Pay 25.00 USDC',
    'one signature and no network fee',
  ]),
  relaying: state({ signedPayment: signed }, [
    'Your payment is on its way',
    'The signature was accepted',
    paymentHash,
  ]),
  'signed-in-vain': state(
    (now) => {
      const attempt = makeAttempt('USDC', now)
      const vain = { state: 'failed', reason: 'insufficient_funds', transactionHash: null } as const
      return { attempt, signedPayment: { ...signed, ...vain, attemptId: attempt.attemptId } }
    },
    ['Pay 25.00 USDC', 'The signed payment was not made, and nothing was charged'],
  ),
  pending: state(pendingView, ['waiting for the network', '1 of 3 confirmations', paymentHash]),
  'pending-final': state(paidAs('seen', { confirmations: 9, requiredConfirmations: 0 }), [
    'waiting for the network',
    'finalizing it',
  ]),
  orphaned: state({ status: 'paid', ...paidAs('orphaned') }, [
    'reversed this payment’s block',
    'Do not pay again',
  ]),
  paid: state(paidView, [done, '25.00 USDC', paymentHash]),
  'paid-return': state(
    { ...paidView, returnUrl: thanks },
    [done, 'Return to Harbour Coffee Roasters', 'Cancel'],
    {
      prepare: stay,
    },
  ),
  'on-success': state(paidView, [done, 'Continue to shop.example', 'Cancel'], {
    script: `parent.postMessage({ redirect: '${thanks}' }, '*')`,
    prepare: stay,
    reach: (page) => page.locator('a[data-return]').waitFor(),
  }),
  'paid-twice': state(
    { ...paidView, unmatched: [{ transactionHash: refundHash }, { transactionHash: paymentHash }] },
    [done, '2 payments have arrived', 'Claim this payment'],
  ),
  reconciled: state({ ...paidView, status: 'reconciled' }, [done]),
  overpaid: state({ status: 'paid', ...paidAs('over', { received: '26000001', excess: '1000001' }) }, [
    done,
    '1.000001 USDC more than was asked',
  ]),
  'paid-late': state({ status: 'paid', ...paidAs('late') }, [done, 'after its price had expired']),
  'paid-by-hand': state({ status: 'paid' }, [done]),
  'bank-pending': state({ status: 'paid - ach pending' }, [
    'Bank payment accepted',
    'within five business days',
  ]),
  failed: state(failed('PORTAL_PAY_ISSUER_DECLINED'), [
    'The payment failed',
    'Your bank declined the card payment',
    'Call your bank',
    'Pay another way',
    'req_9sX2',
  ]),
  'failed-for-good': state(failed('PORTAL_PAY_TRANSACTION_BLOCKED'), [
    'The payment failed',
    'could not complete this payment',
    'Nothing was charged',
    'req_9sX2',
  ]),
  cancelled: state((now) => ({ cancelledAt: now }), ['request was cancelled', 'Do not send anything']),
  'refund-requested': state({ status: 'refund_requested', ...paidAs('paid') }, ['Refund requested']),
  refunded: state({ status: 'refunded', refunds: [refund(25, true)], refundedUsd: 25, ...paidAs('paid') }, [
    'Payment refunded',
    '$25.00',
    refundHash,
  ]),
  'partly-refunded': state(
    { status: 'paid', refunds: [refund(5.5, true), refund(2, false)], refundedUsd: 5.5, ...paidAs('paid') },
    ['Partly refunded', 'has returned $5.50 of it', refundHash, '$2.00 sent, not confirmed yet'],
  ),
}

/** Opens a state of the checkout in a page. */
export async function openState(
  harness: PageHarness,
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
