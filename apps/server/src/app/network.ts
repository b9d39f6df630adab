import base from '@sluice/contracts/deployments/8453.json' with { type: 'json' }
import baseSepolia from '@sluice/contracts/deployments/84532.json' with { type: 'json' }
import releases from '@sluice/contracts/deployments/releases.json' with { type: 'json' }
import type { TokenSymbol } from '@sluice/protocol/tokens/token.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { type Deployment, describeNetwork, type Network } from '../chain/networks.ts'
import { assert } from '../kernel/assert.ts'

type DeploymentFile = {
  readonly tokens: Readonly<Record<string, string | null>>
}

const files: Readonly<Record<number, DeploymentFile>> = { 8453: base, 84532: baseSepolia }

/**
 * The network of a deployment: its tokens from `contracts/deployments`, or on the local chain from what was
 * deployed there. The factory stands where CREATE2 puts this release's on every chain.
 */
export function networkOf(chainId: number, local: Deployment | undefined): Network {
  if (local) return describeNetwork(chainId, local)
  const file = files[chainId]
  return describeNetwork(chainId, {
    factory: address(releases.current.factory.address),
    tokens: readTokens(file?.tokens ?? {}),
  })
}

function readTokens(tokens: DeploymentFile['tokens']): Partial<Record<TokenSymbol, Wallet>> {
  const known = Object.entries(tokens).filter((entry): entry is [string, string] => entry[1] !== null)
  return Object.fromEntries(known.map(([symbol, text]) => [symbol, address(text)]))
}

function address(text: string): Wallet {
  const wallet = parseWallet(text)
  assert(wallet, `${text} in a deployment file is an address`)
  return wallet
}
