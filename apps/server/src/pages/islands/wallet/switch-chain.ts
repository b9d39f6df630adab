import type { Provider } from '@sluice/browser-wallet/provider.ts'
import { readError } from '@sluice/browser-wallet/read-error.ts'
import type { IslandOffer } from '../../live/island-data.ts'
import { type Ending, type Payment, read, readHex, writeHex } from './payment.ts'

export async function findWrongChain(payment: Payment): Promise<Ending | undefined> {
  const { chain } = payment.offer
  const id = Number(readHex(await read(payment, 'eth_chainId')))
  if (id === chain.id) return undefined
  return { step: 'wrong-network', slots: { current: chainName(id), currentId: String(id) } }
}

export async function switchChain(
  provider: Provider,
  { chain }: IslandOffer,
): Promise<'switched' | 'refused' | 'busy'> {
  const chainId = writeHex(chain.id)
  const request = async (method: string, parameter: object) => {
    try {
      await provider.request({ method, params: [parameter] })
      return undefined
    } catch (error) {
      return readError(error).kind
    }
  }
  let reason = await request('wallet_switchEthereumChain', { chainId })
  if (reason === 'unknown-chain' && chain.rpcUrl) {
    reason = await request('wallet_addEthereumChain', {
      chainId,
      chainName: chain.name,
      nativeCurrency: { name: chain.coin.name, symbol: chain.coin.symbol, decimals: chain.coin.decimals },
      rpcUrls: [chain.rpcUrl],
      ...(chain.explorerUrl ? { blockExplorerUrls: [chain.explorerUrl] } : {}),
    })
  }
  if (reason === undefined) return 'switched'
  return reason === 'busy' ? 'busy' : 'refused'
}

/** Names of common networks. With the full list of networks, the script would exceed its size limit. */
const names: Readonly<Record<number, string>> = {
  1: 'Ethereum',
  10: 'OP Mainnet',
  56: 'BNB Smart Chain',
  100: 'Gnosis',
  137: 'Polygon PoS',
  324: 'zkSync Era',
  8453: 'Base',
  31337: 'Local chain',
  42161: 'Arbitrum One',
  43114: 'Avalanche',
  59144: 'Linea',
  84532: 'Base Sepolia',
  11155111: 'Sepolia',
}

export function chainName(id: number): string {
  return names[id] ?? ''
}
