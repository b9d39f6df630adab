import { describeToken } from '@sluice/protocol/networks/describe-token.ts'
import { findNetwork, isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import { type TokenSymbol, tokenKinds } from '@sluice/protocol/tokens/list.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../kernel/assert.ts'

/** A chain with the contracts and listed tokens of this deployment. */
export type Network = {
  readonly id: number
  readonly name: string
  readonly explorerUrl: string | undefined
  readonly tokens: readonly Token[]
  readonly factory: Wallet
  readonly pullFactory: Wallet | undefined
  /** Whether the cost of gas is negligible, so that money is moved at once, whatever the amount. */
  readonly isGasFree: boolean
}

/** Addresses of contracts and tokens on a chain. A token without an address is not offered. */
export type Deployment = {
  readonly factory: Wallet
  readonly pullFactory?: Wallet
  readonly tokens: Partial<Readonly<Record<TokenSymbol, Wallet>>>
}

/** Returns the network of a supported chain id. Tokens without an address are omitted. */
export function describeNetwork(id: number, deployment: Deployment): Network {
  const network = findNetwork(id)
  assert(network, 'the configuration rejects other chains')
  return {
    id,
    name: network.name,
    explorerUrl: network.explorerUrl,
    factory: deployment.factory,
    pullFactory: deployment.pullFactory,
    isGasFree: isLocalNetwork(id),
    tokens: tokenKinds.flatMap((kind) => {
      const address = kind.symbol === network.nativeToken ? nativeAddress : deployment.tokens[kind.symbol]
      return address ? [describeToken(kind, address)] : []
    }),
  }
}

/** Returns the symbol of the token that pays for gas. */
export function nativeSymbolOf(chain: { readonly id: number }): TokenSymbol {
  const network = findNetwork(chain.id)
  assert(network, 'the configuration rejects other chains')
  return network.nativeToken
}
