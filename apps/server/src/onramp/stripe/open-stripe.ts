import { findNetwork } from '@sluice/protocol/networks/list.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { type Config, ConfigFault } from '../../platform/settings/config.ts'
import type { OnrampProvider } from '../provider.ts'
import { findStripeNetwork } from './networks.ts'
import { makeStripeProvider } from './stripe-provider.ts'

type StripeConfig = Pick<
  Config,
  'stripeSecretKey' | 'stripeWebhookSecret' | 'stripeApiUrl' | 'chainId' | 'onrampProvider'
>

/**
 * Stripe, where its keys are given and it delivers to the network of this deployment.
 *
 * @throws {ConfigFault} where it is named and does not deliver there.
 */
export function openStripe(
  { clock, log, outbound }: { readonly clock: Clock; readonly log: Log; readonly outbound: Outbound },
  config: StripeConfig,
): OnrampProvider | undefined {
  const { stripeSecretKey: secretKey, stripeWebhookSecret: webhookSecret, stripeApiUrl: apiUrl } = config
  const network = findStripeNetwork(config.chainId)
  if (config.onrampProvider === 'stripe' && !network)
    throw new ConfigFault([
      `ONRAMP_PROVIDER is stripe, which does not deliver USDC on ${nameOf(config.chainId)}`,
    ])
  if (!secretKey || !webhookSecret || !network) return undefined
  const isLive = isLiveKey(secretKey)
  return makeStripeProvider({ clock, log, outbound, secretKey, webhookSecret, apiUrl, network, isLive })
}

/** Whether a key moves real money: `sk_live_…` or, restricted, `rk_live_…` (docs.stripe.com/keys). */
function isLiveKey(key: string): boolean {
  return /^[sr]k_live_/.test(key)
}

function nameOf(chainId: number): string {
  return findNetwork(chainId)?.name ?? `chain ${chainId}`
}
