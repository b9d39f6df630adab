import * as read from './read-text.ts'
import type { Setting } from './setting.ts'

/** Rows for card and bank payments: each provider's own settings, and settings for all providers. */
export const onrampSettings = {
  SANDBOX_TREASURY_KEY: {
    as: 'sandboxTreasuryKey',
    help: 'private key of an account with test tokens that pays for test card payments; turns on the card sandbox; only on a test network, never in production',
    read: read.privateKey,
    isSecret: true,
  },
  ONRAMP_PROVIDER: {
    as: 'onrampProvider',
    help: 'provider of card and bank payments; if not set, the first configured provider; `none` turns these payments off',
    read: read.anyText,
  },
  ONRAMP_MIN_USD: {
    as: 'onrampMinCents',
    help: "minimum card or bank payment; the provider's own minimum applies as well",
    read: read.dollars,
    default: '1',
  },
  ONRAMP_MAX_USD: {
    as: 'onrampMaxCents',
    help: "maximum card or bank payment; the provider's own maximum applies as well",
    read: read.dollars,
    default: '10000',
  },
  ONRAMP_SIGNATURE_TOLERANCE: {
    as: 'onrampToleranceMs',
    help: "maximum difference between the time in a provider's signature and the clock of this machine",
    read: read.duration,
    default: '5m',
  },
  STRIPE_SECRET_KEY: {
    as: 'stripeSecretKey',
    help: 'secret or restricted key of a Stripe account with access to the crypto onramp; turns on card and bank payments through Stripe, on networks that Stripe supports',
    read: read.stripeKey,
    isSecret: true,
  },
  STRIPE_WEBHOOK_SECRET: {
    as: 'stripeWebhookSecret',
    help: 'secret of the Stripe webhook endpoint /api/onramp/events/stripe; required with STRIPE_SECRET_KEY',
    read: read.stripeWebhookSecret,
    isSecret: true,
  },
  STRIPE_API_URL: {
    as: 'stripeApiUrl',
    help: "base URL of Stripe's API, without a trailing slash",
    read: read.webUrl,
    default: 'https://api.stripe.com',
  },
} as const satisfies Readonly<Record<string, Setting>>
