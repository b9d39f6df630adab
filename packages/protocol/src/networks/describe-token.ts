import type { TokenKind } from '../tokens/list.ts'
import type { Token } from '../tokens/token.ts'
import type { Wallet } from '../wallet.ts'
import { networks } from './list.ts'

const listed = new Map(
  networks.flatMap(({ tokens }) => Object.values(tokens).map((token) => [token.address as string, token])),
)

/**
 * Returns a token with the decimals that its contract has. The address tells the network. The native token and
 * the contracts of a local chain have the usual decimals.
 */
export function describeToken(kind: TokenKind, address: Wallet): Token {
  return { ...kind, ...listed.get(address), address }
}
