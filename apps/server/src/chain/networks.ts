import { findNetwork, isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import { type TokenSymbol, tokenKinds } from '@sluice/protocol/tokens/list.ts'
import type { Token } from '@sluice/protocol/tokens/token.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../kernel/assert.ts'

/** What is fixed about the chain of a deployment. */
export type Network = {
  readonly id: number
  readonly name: string
  readonly explorerUrl: string | undefined
  /** In the order they are offered. */
  readonly tokens: readonly Token[]
  readonly factory: Wallet
  /** Where deposits are paid by permits; `undefined` where they are not. */
  readonly pullFactory: Wallet | undefined
  /** Whether transactions cost nothing worth a thought: what moves money moves it at once, whatever it comes to. */
  readonly isGasFree: boolean
}

/** Where a chain's contracts stand. A token without an address is not taken there. */
export type Deployment = {
  readonly factory: Wallet
  readonly pullFactory?: Wallet
  readonly tokens: Partial<Readonly<Record<TokenSymbol, Wallet>>>
}

/** The network of a chain id that the configuration allows, with what is deployed there. */
export function describeNetwork(id: number, deployment: Deployment): Network {
  const network = findNetwork(id)
  assert(network, 'the configuration refuses other chains')
  return {
    id,
    name: network.name,
    explorerUrl: network.explorerUrl,
    factory: deployment.factory,
    pullFactory: deployment.pullFactory,
    isGasFree: isLocalNetwork(id),
    tokens: tokenKinds.flatMap((kind) => {
      const address = kind.symbol === network.nativeToken ? nativeAddress : deployment.tokens[kind.symbol]
      return address ? [{ ...kind, address }] : []
    }),
  }
}

/** The symbol of what gas is paid in on a chain that the configuration allows. */
export function nativeSymbolOf(chain: { readonly id: number }): TokenSymbol {
  const network = findNetwork(chain.id)
  assert(network, 'the configuration refuses other chains')
  return network.nativeToken
}
