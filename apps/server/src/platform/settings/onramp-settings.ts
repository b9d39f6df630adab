import * as read from './read-text.ts'
import type { Setting } from './setting.ts'

/** The rows of card and bank payments: the providers' own, and what holds for all of them. */
export const onrampSettings = {
  SANDBOX_TREASURY_KEY: {
    as: 'sandboxTreasuryKey',
    help: 'private key of an account with test tokens, from which payments by play cards are delivered: turns the card sandbox on; on a test network only, and never in production',
    read: read.privateKey,
    isSecret: true,
  },
  ONRAMP_PROVIDER: {
    as: 'onrampProvider',
    help: 'provider that takes cards and bank payments; if not set, the first one that is set up; none: no such payments',
    read: read.anyText,
  },
  ONRAMP_MIN_USD: {
    as: 'onrampMinCents',
    help: "smallest card or bank payment; the provider's own minimum applies as well",
    read: read.dollars,
    default: '1',
  },
  ONRAMP_MAX_USD: {
    as: 'onrampMaxCents',
    help: "largest card or bank payment; the provider's own maximum applies as well",
    read: read.dollars,
    default: '10000',
  },
  ONRAMP_SIGNATURE_TOLERANCE: {
    as: 'onrampToleranceMs',
    help: "how far the time in a provider's signature may be from the clock of this machine",
    read: read.duration,
    default: '5m',
  },
  STRIPE_SECRET_KEY: {
    as: 'stripeSecretKey',
    help: 'secret or restricted key of a Stripe account that may use the crypto onramp: turns card and bank payments through Stripe on, on networks that it delivers to',
    read: read.stripeKey,
    isSecret: true,
  },
  STRIPE_WEBHOOK_SECRET: {
    as: 'stripeWebhookSecret',
    help: 'secret with which Stripe signs its events to /api/onramp/events/stripe; required with STRIPE_SECRET_KEY',
    read: read.stripeWebhookSecret,
    isSecret: true,
  },
  STRIPE_API_URL: {
    as: 'stripeApiUrl',
    help: "where Stripe's API is reached, without a trailing slash",
    read: read.webUrl,
    default: 'https://api.stripe.com',
  },
} as const satisfies Readonly<Record<string, Setting>>
