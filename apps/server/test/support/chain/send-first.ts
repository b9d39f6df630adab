import { createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { ChainApi } from '../worlds/chain-api.ts'
import type { Call } from './test-chain.ts'

/** Sends a call that pays for the first place in the next block. */
export async function sendFirst({ node }: ChainApi, { to, data = '0x', value = 0n }: Call): Promise<Hex> {
  const account = privateKeyToAccount(node.accounts[4]?.privateKey as Hex)
  const fees = { maxFeePerGas: 200_000_000_000n, maxPriorityFeePerGas: 100_000_000_000n }
  const sender = createWalletClient({ account, transport: http(node.rpcUrl) })
  return sender.sendTransaction({ to, data, value, gas: 500_000n, ...fees, chain: null })
}
