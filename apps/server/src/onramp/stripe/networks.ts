/** A network as Stripe names it. */
export type StripeNetwork = {
  /** In `destination_network` and `destination_networks`. */
  readonly name: string
  /** The field of `wallet_addresses`; Base alone is not called as the network is. */
  readonly addressField: string
}

/**
 * The networks of ours that Stripe delivers USDC to, by chain id; it lists no test network
 * (docs.stripe.com/api/crypto/onramp_sessions/create: `destination_networks`, `wallet_addresses`).
 */
const networks: ReadonlyMap<number, StripeNetwork> = new Map([
  [8_453, { name: 'base', addressField: 'base_network' }],
])

/** The network of a chain id; `undefined` where Stripe does not deliver. */
export function findStripeNetwork(chainId: number): StripeNetwork | undefined {
  return networks.get(chainId)
}
