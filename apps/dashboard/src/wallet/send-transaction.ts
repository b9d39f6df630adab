import type { WebApp } from '../service/use-web-app.ts'
import { type Provider, readWalletError } from './provider.ts'

export type Call = { readonly to: string; readonly data: string; readonly value?: string }

const unknownChain = 4902
const askEveryMs = 1_000
const waitAtMostMs = 300_000

/**
 * Sends a call on the service's chain. Asks the wallet to switch if it is on another chain.
 *
 * @returns Hash of the transaction.
 * @throws The wallet's error. `readWalletError` recognizes a rejection.
 */
export async function sendTransaction(
  provider: Provider,
  chain: WebApp['chain'],
  call: Call,
): Promise<string> {
  const [from] = (await provider.request({ method: 'eth_requestAccounts' })) as readonly string[]
  await moveTo(provider, chain)
  const transaction = { from, to: call.to, data: call.data, value: call.value ?? '0x0' }
  return (await provider.request({ method: 'eth_sendTransaction', params: [transaction] })) as string
}

/**
 * Waits until a transaction is included in a block.
 *
 * @throws if the transaction was reverted, or after five minutes.
 */
export async function waitForTransaction(provider: Provider, hash: string): Promise<void> {
  const end = Date.now() + waitAtMostMs
  while (Date.now() < end) {
    const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    const status = (receipt as { status?: string } | null)?.status
    if (status === '0x1') return
    if (status !== undefined) throw new Error('the transaction was reverted')
    await new Promise((resolve) => setTimeout(resolve, askEveryMs))
  }
  throw new Error('the transaction is not in a block yet')
}

/** Switches the wallet to the service's chain. Adds the chain if the wallet does not know it. */
export async function moveTo(provider: Provider, chain: WebApp['chain']): Promise<void> {
  const chainId = `0x${chain.id.toString(16)}`
  const shown = await provider.request({ method: 'eth_chainId' })
  if (Number(shown) === chain.id) return
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  } catch (error) {
    if (readWalletError(error) === 'rejected') throw error
    if ((error as { code?: number }).code !== unknownChain || !chain.rpcUrl) throw error
    const nativeCurrency = { name: chain.nativeToken, symbol: chain.nativeToken, decimals: 18 }
    const { name: chainName, rpcUrl, explorerUrl } = chain
    const added = { chainId, chainName, nativeCurrency, rpcUrls: [rpcUrl] }
    const params = [{ ...added, ...(explorerUrl && { blockExplorerUrls: [explorerUrl] }) }]
    await provider.request({ method: 'wallet_addEthereumChain', params })
  }
}
