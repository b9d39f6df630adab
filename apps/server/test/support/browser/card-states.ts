import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import type { CheckoutState } from './checkout-state.ts'

const cardOnramp = {
  provider: 'sandbox',
  methods: ['card', 'ach'],
  session: null,
} satisfies CheckoutView['onramp']

/** The states of a payment by card or bank. */
export const cardStates: Readonly<Record<string, CheckoutState>> = {
  card: {
    changes: { onramp: cardOnramp },
    says: ['Pay 25.00 USDC', 'Pay by card or bank', 'card sandbox'],
  },
  'card-away': {
    changes: { onramp: { ...cardOnramp, provider: 'stripe' } },
    query: 'onramp=away',
    says: ['Card payments are not available right now', 'Pay by card or bank'],
  },
  provider: {
    changes: { onramp: { ...cardOnramp, session: 'open' } },
    query: 'onramp=back',
    says: ['Checking your payment', 'Do not pay again', 'Choose a way to pay'],
  },
  'failed-card': {
    changes: {
      status: 'failed',
      failure: {
        code: 'PORTAL_PAY_INSUFFICIENT_FUNDS',
        category: 'card_decline',
        providerRequestId: 'req_9sX2',
      },
      onramp: { ...cardOnramp, session: 'failed' },
    },
    says: ['The payment failed', 'enough funds', 'Try again by card', 'Pay another way', 'req_9sX2'],
  },
}
