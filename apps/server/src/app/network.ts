import releases from '@sluice/contracts/deployments/releases.json' with { type: 'json' }
import { findNetwork } from '@sluice/protocol/networks/list.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { type Deployment, describeNetwork, type Network } from '../chain/networks.ts'
import { assert } from '../kernel/assert.ts'

/**
 * The network of a deployment: its tokens as the protocol names them, or on the local chain from what was
 * deployed there. The factories stand where CREATE2 puts this release's on every chain.
 */
export function networkOf(chainId: number, local: Deployment | undefined): Network {
  if (local) return describeNetwork(chainId, local)
  return describeNetwork(chainId, {
    factory: address(releases.current.factory.address),
    pullFactory: address(releases.current.pullFactory.address),
    tokens: readTokens(findNetwork(chainId)?.tokens ?? {}),
  })
}

function readTokens(tokens: Readonly<Record<string, string>>): Partial<Record<TokenSymbol, Wallet>> {
  return Object.fromEntries(Object.entries(tokens).map(([symbol, text]) => [symbol, address(text)]))
}

function address(text: string): Wallet {
  const wallet = parseWallet(text)
  assert(wallet, `${text} of a network or a release is an address`)
  return wallet
}
