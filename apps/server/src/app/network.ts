import releases from '@sluice/contracts/deployments/releases.json' with { type: 'json' }
import { findNetwork } from '@sluice/protocol/networks/list.ts'
import type { NetworkFacts } from '@sluice/protocol/networks/network-facts.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { hexToBigInt, size } from 'viem'
import type { Chain, Hex } from '../chain/chain.ts'
import { type Deployment, describeNetwork, type Network } from '../chain/networks.ts'
import { validateFactory } from '../chain/validate-factory.ts'
import { assert } from '../kernel/assert.ts'
import type { Log } from '../platform/log.ts'

/**
 * Returns the network of a deployment. The local chain's network comes from its deployment file.
 *
 * CREATE2 gives the factories the same address on every chain.
 */
export function networkOf(chainId: number, local: Deployment | undefined): Network {
  if (local) return describeNetwork(chainId, local)
  return describeNetwork(chainId, {
    factory: address(releases.current.factory.address),
    pullFactory: address(releases.current.pullFactory.address),
    tokens: readTokens(findNetwork(chainId)?.tokens ?? {}),
  })
}

function readTokens(tokens: NetworkFacts['tokens']): Partial<Record<TokenSymbol, Wallet>> {
  return Object.fromEntries(Object.entries(tokens).map(([symbol, token]) => [symbol, address(token.address)]))
}

function address(text: string): Wallet {
  const wallet = parseWallet(text)
  assert(wallet, `${text} of a network or a release is an address`)
  return wallet
}

/**
 * Fails if this release's factory is not deployed.
 *
 * Payments could not be distributed, and funds sent to an address without code would be lost. The service
 * starts even if no RPC endpoint responds: readiness and the senders check again.
 *
 * @throws with instructions.
 */
export async function requireFactory(needs: { readonly chain: Chain; readonly log: Log }): Promise<void> {
  const verdict = await validateFactory(needs.chain).catch((error: unknown) => {
    needs.log.warn({ err: error }, 'the split factory could not be checked: no endpoint responds')
    return undefined
  })
  if (verdict && verdict.kind !== 'stands') throw new Error(verdict.message)
}

/** Selector of `decimals()`. */
const decimalsCall: Hex = '0x313ce567'

/**
 * Fails if a token contract does not have the pinned decimals: each amount would be wrong by a power of ten.
 *
 * The service starts even if no RPC endpoint responds.
 *
 * @throws with the token, its pinned decimals and the decimals of the contract.
 */
export async function requireDecimals(needs: {
  readonly chain: Pick<Chain, 'name' | 'tokens' | 'callMany'>
  readonly log: Log
}): Promise<void> {
  const { chain, log } = needs
  const tokens = chain.tokens.filter((token) => token.address !== nativeAddress)
  const calls = tokens.map((token) => ({ to: token.address, data: decimalsCall }))
  const outcomes = await chain.callMany(calls).catch((error: unknown) => {
    log.warn({ err: error }, 'the decimals of the tokens could not be checked: no endpoint responds')
    return undefined
  })
  const wrong = tokens.flatMap(({ symbol, address, decimals }, i) => {
    const outcome = outcomes?.[i]
    if (!outcome) return []
    const found = outcome.ok && size(outcome.data) === 32 ? hexToBigInt(outcome.data) : undefined
    if (found === BigInt(decimals)) return []
    return [`${symbol} at ${address}: ${decimals} decimals are pinned, the contract has ${found ?? 'none'}`]
  })
  if (wrong.length > 0) throw new Error(`Tokens on ${chain.name} differ: ${wrong.join('; ')}. Check RPC_URLS`)
}
