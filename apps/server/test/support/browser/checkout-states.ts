import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import type { Page } from 'playwright-core'
import { ApiError } from '../../../src/kernel/api-error.ts'
import { Outage } from '../../../src/kernel/outage.ts'
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

type CheckoutState = {
  readonly changes?: ViewChanges | ((now: number) => ViewChanges)
  readonly apiError?: ApiError | Outage
  readonly script?: string
  readonly hasWalletConnect?: boolean
  readonly prepare?: (page: Page) => Promise<unknown>
  readonly reach?: (page: Page) => Promise<void>
  readonly query?: string
}

const thanks = 'https://shop.example/thanks'
/** Returns an empty response for the shop's page, so that the checkout stays open. */
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

export const checkoutStates: Readonly<Record<string, CheckoutState>> = {
  card: { changes: { onramp: card } },
  'card-away': { changes: { onramp: { ...card, provider: 'stripe' } }, query: 'onramp=away' },
  'card-confirming': { changes: (now) => ({ ...shortView(now), onramp: { ...card, methods: [] } }) },
  provider: { changes: { onramp: { ...card, session: 'open' } }, query: 'onramp=back' },
  'failed-card': {
    changes: { ...failed('PORTAL_PAY_INSUFFICIENT_FUNDS'), onramp: { ...card, session: 'failed' } },
  },
  pay: {},
  short: { changes: shortView },
  'short-expired': { changes: paidAs('short', { received: '15000001', missing: '9999999' }) },
  expired: { changes: { payment: { state: 'expired' } }, query: 'keep' },
  'wrong-token': {
    changes: (now) => ({ attempt: makeAttempt('USDC', now), unmatched: [{ transactionHash: paymentHash }] }),
  },
  walletconnect: {
    hasWalletConnect: true,
    prepare: (page) => new PairingRelay().serve(page.context()),
    async reach(page) {
      await page.locator('[data-act=wallet]', { hasText: 'WalletConnect' }).click()
      await page.locator('.pairing svg').waitFor()
    },
  },
  'expired-funds': { changes: paidAs('expired') },
  'part-returned': {
    changes: (now) => ({
      ...paidAs('short', { received: '15000001', missing: '9999999' }),
      cancelledAt: now,
      refunds: [refund(15, true)],
      refundedUsd: 15,
    }),
  },
  'receipt-expired': { changes: (now) => ({ expiresAt: now - 1 }) },
  'cannot-pay': { changes: { canPay: false } },
  'out-of-limits': { apiError: new ApiError('invalid_amount', 'Above what is taken here') },
  'no-offer': { apiError: new Outage('exchange_rate', 'No source agrees') },
  'pay-by-signature': { changes: { signableTokens: ['USDC'] } },
  relaying: { changes: { signedPayment: signed } },
  'signed-in-vain': {
    changes: (now) => {
      const attempt = makeAttempt('USDC', now)
      const vain = { state: 'failed', reason: 'insufficient_funds', transactionHash: null } as const
      return { attempt, signedPayment: { ...signed, ...vain, attemptId: attempt.attemptId } }
    },
  },
  pending: { changes: pendingView },
  'pending-final': { changes: paidAs('seen', { confirmations: 9, requiredConfirmations: 0 }) },
  orphaned: { changes: { status: 'paid', ...paidAs('orphaned') } },
  paid: { changes: paidView },
  'paid-return': { changes: { ...paidView, returnUrl: thanks }, prepare: stay },
  'on-success': {
    changes: paidView,
    script: `parent.postMessage({ redirect: '${thanks}' }, '*')`,
    prepare: stay,
    reach: (page) => page.locator('a[data-return]').waitFor(),
  },
  'paid-twice': {
    changes: { ...paidView, unmatched: [{ transactionHash: refundHash }, { transactionHash: paymentHash }] },
  },
  reconciled: { changes: { ...paidView, status: 'reconciled' } },
  overpaid: { changes: { status: 'paid', ...paidAs('over', { received: '26000001', excess: '1000001' }) } },
  'paid-late': { changes: { status: 'paid', ...paidAs('late') } },
  'paid-by-hand': { changes: { status: 'paid' } },
  'bank-pending': { changes: { status: 'paid - ach pending' } },
  failed: { changes: failed('PORTAL_PAY_ISSUER_DECLINED') },
  'failed-stopped': { changes: failed('PORTAL_PAY_CANCELLED') },
  'failed-for-good': { changes: failed('PORTAL_PAY_TRANSACTION_BLOCKED') },
  cancelled: { changes: (now) => ({ cancelledAt: now }) },
  'refund-requested': { changes: { status: 'refund_requested', ...paidAs('paid') } },
  refunded: {
    changes: { status: 'refunded', refunds: [refund(25, true)], refundedUsd: 25, ...paidAs('paid') },
  },
  'partly-refunded': {
    changes: {
      status: 'paid',
      refunds: [refund(5.5, true), refund(2, false)],
      refundedUsd: 5.5,
      ...paidAs('paid'),
    },
  },
}

export async function openState(
  harness: PageHarness,
  page: Page,
  name: string,
  { id = name, query = '' }: { id?: string; query?: string } = {},
): Promise<void> {
  const state = checkoutStates[name]
  harness.site.walletConnectProject = state?.hasWalletConnect ? 'test-project' : undefined
  if (state?.apiError) harness.error.open = state.apiError
  if (state?.script !== undefined) harness.scripts.set(id, state.script)
  try {
    await state?.prepare?.(page)
    const url = new URL(harness.put(id, state?.changes) + query)
    for (const [name, value] of new URLSearchParams(state?.query)) url.searchParams.set(name, value)
    await page.goto(url.href)
    await state?.reach?.(page)
  } finally {
    delete harness.error.open
  }
}
