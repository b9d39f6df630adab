import pino from 'pino'
import { type Clock, systemClock } from '../../../src/kernel/clock.ts'
import type { OnrampProvider } from '../../../src/onramp/provider.ts'
import { findStripeNetwork } from '../../../src/onramp/stripe/order-form.ts'
import { makeStripeProvider } from '../../../src/onramp/stripe/stripe-provider.ts'
import { HttpOutbound } from '../../../src/platform/outbound/http-outbound.ts'
import { type StripeStandIn, startStripe } from './stripe-stand-in.ts'

export type StripeBench = {
  readonly stripe: StripeStandIn
  readonly provider: OnrampProvider
  readonly stranger: OnrampProvider
  readonly logged: string[]
  close(): Promise<void>
}

/** Starts the provider. With a test clock, nothing times out until the test advances the clock. */
export async function startStripeBench(clock: Clock = systemClock): Promise<StripeBench> {
  const stripe = await startStripe(() => clock.now())
  const network = findStripeNetwork(8_453)
  if (!network) throw new Error('Stripe delivers to Base')
  const outbound = new HttpOutbound({ clock }, { targets: 'any', allowHttp: true })
  const logged: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) })
  const { secretKey, webhookSecret, url: apiUrl } = stripe
  const needs = { clock, log, outbound, secretKey, webhookSecret, apiUrl, network, isLive: true }
  return {
    stripe,
    provider: makeStripeProvider(needs),
    stranger: makeStripeProvider({ ...needs, secretKey: 'sk_live_ofSomebodyElse' }),
    logged,
    async close() {
      await Promise.all([outbound.close(), stripe.close()])
    },
  }
}
