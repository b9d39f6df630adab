import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import type { X402Requirements } from '@sluice/protocol/x402/messages.ts'
import type { TokenDomain } from '../relaying/authorization.ts'

/** How long a payer is told that a signature may take, in seconds; the same for every offer, so that they compare. */
const maxTimeoutSeconds = 300

/** The network as CAIP-2 has it. */
export function networkName(chain: number): string {
  return `eip155:${chain}`
}

/**
 * An attempt as x402 offers it. It is paid at the attempt's own deposit address, so whoever has the money moved there,
 * by whatever means, has paid this receipt and no other.
 */
export function requirementsOf(
  { depositAddress, remaining }: Pick<AttemptView, 'depositAddress' | 'remaining'>,
  { name, version, chainId, verifyingContract }: TokenDomain,
): X402Requirements {
  return {
    scheme: 'exact',
    network: networkName(chainId),
    amount: remaining,
    asset: verifyingContract,
    payTo: depositAddress,
    maxTimeoutSeconds,
    extra: { name, version },
  }
}
