import { formatUnits } from '@sluice/protocol/money.ts'
import { isPublicAddress } from '../../platform/outbound/make-connector.ts'
import type { SessionBilling, SessionOrder } from '../provider.ts'

export const sessionsPath = '/v1/crypto/onramp_sessions'

/** Metadata fields that contain the original order. Only the holder of the secret key can write metadata. */
export const metadataFields = {
  reference: 'sluice_reference',
  amount: 'sluice_amount',
  address: 'sluice_address',
} as const

/**
 * Prefill parameters, in the order in which they are tried. Stripe's guides use `customer_information`, its
 * API reference `kyc_details`. An account may reject either.
 */
export const prefillFields = ['customer_information', 'kyc_details', undefined] as const

/**
 * Returns an order as Stripe parameters (docs.stripe.com/api/crypto/onramp_sessions/create). One-element
 * lists fix a value. The buyer can change the amount, so the metadata also contains it.
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
    // Stripe rejects a private IP address.
    ...(clientAddress && isPublicAddress(clientAddress) && { customer_ip_address: clientAddress }),
    ...(prefill && person && { [prefill]: person }),
    metadata: {
      [metadataFields.reference]: reference,
      [metadataFields.amount]: amount,
      [metadataFields.address]: depositAddress,
    },
  }
}

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

export type StripeNetwork = {
  readonly name: string
  /**
   * Field of `wallet_addresses`. For Base, Stripe's name of the field differs from its name of the network.
   */
  readonly addressField: string
}

/**
 * Stripe's networks for USDC, by chain id. Stripe supports no test network
 * (docs.stripe.com/api/crypto/onramp_sessions/create).
 */
const networks: ReadonlyMap<number, StripeNetwork> = new Map([
  [8_453, { name: 'base', addressField: 'base_network' }],
])

export function findStripeNetwork(chainId: number): StripeNetwork | undefined {
  return networks.get(chainId)
}
