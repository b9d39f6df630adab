import { formatUnits } from '@sluice/protocol/money.ts'
import { isPublicAddress } from '../../platform/outbound/make-connector.ts'
import type { SessionBilling, SessionOrder } from '../provider.ts'

/** The path of sessions in Stripe's API. */
export const sessionsPath = '/v1/crypto/onramp_sessions'

/** Where we keep in a session what it was opened for: only the holder of the secret key writes metadata. */
export const metadataFields = {
  reference: 'sluice_reference',
  amount: 'sluice_amount',
  address: 'sluice_address',
} as const

/**
 * What the buyer's form is filled in under. Stripe's guides say `customer_information`, its API reference
 * `kyc_details`; an account refuses the one it does not know, and then the other is tried, and at last neither.
 */
export const prefillFields = ['customer_information', 'kyc_details', undefined] as const

/**
 * An order as Stripe's parameters (docs.stripe.com/api/crypto/onramp_sessions/create). Lists of one value are what the
 * buyer cannot change; the amount alone they can, which is why it stands in the metadata as well.
 */
export function writeOrder(
  order: SessionOrder,
  network: StripeNetwork,
  prefill: (typeof prefillFields)[number],
): Record<string, unknown> {
  const { reference, depositAddress, clientAddress } = order
  const amount = formatUnits(order.amount.units, order.amount.decimals)
  const person = writePerson(order)
  return {
    source_currency: 'usd',
    destination_currency: 'usdc',
    destination_currencies: ['usdc'],
    destination_network: network.name,
    destination_networks: [network.name],
    destination_amount: amount,
    wallet_addresses: { [network.addressField]: depositAddress },
    lock_wallet_address: 'true',
    // An address that nobody in the world has says nothing about a country, and is refused.
    ...(clientAddress && isPublicAddress(clientAddress) && { customer_ip_address: clientAddress }),
    ...(prefill && person && { [prefill]: person }),
    metadata: {
      [metadataFields.reference]: reference,
      [metadataFields.amount]: amount,
      [metadataFields.address]: depositAddress,
    },
  }
}

/** The buyer as the form knows them; Stripe has no field for a telephone number here. */
function writePerson({ email, billing = {} }: SessionOrder): Record<string, unknown> | undefined {
  const person = given({
    email,
    first_name: billing.firstName,
    last_name: billing.lastName,
    address: writeAddress(billing),
  })
  return Object.keys(person).length > 0 ? person : undefined
}

function writeAddress({ line1, line2, city, state, zip, country }: SessionBilling) {
  const address = given({ line1, line2, city, state, postal_code: zip, country })
  return Object.keys(address).length > 0 ? address : undefined
}

function given(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''))
}

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
