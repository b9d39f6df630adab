import { localNetwork } from '@sluice/protocol/networks/list.ts'
import { type TokenSymbol, tokenKinds } from '@sluice/protocol/tokens/list.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, erc20Abi, type Hex, parseAbi } from 'viem'
import type { Deployment } from '../chain/networks.ts'
import type { AnvilClient } from './anvil.ts'
import { actAsDeployer, type LocalContracts } from './deploy-contracts.ts'
import { type LocalRole, localWallet } from './master-key.ts'

/** How much of each token, in whole tokens; a symbol that is absent stays as it is. */
export type Purse = Readonly<Partial<Record<TokenSymbol, number>>>

const mintAbi = parseAbi(['function mint(address to, uint256 amount)'])

/**
 * Sees to it that the wallet has at least half of `purse`, filling up to all of it where it has not. Safe to repeat.
 *
 * @returns whether anything was missing.
 */
export async function fund(
  client: AnvilClient,
  contracts: LocalContracts,
  wallet: Wallet,
  purse: Purse,
): Promise<boolean> {
  const deployed: Deployment['tokens'] = contracts.tokens
  let hasChanged = false
  const mints: { to: Hex; data: Hex }[] = []
  for (const { symbol, decimals } of tokenKinds) {
    const wanted = BigInt(purse[symbol] ?? 0) * 10n ** BigInt(decimals)
    if (wanted === 0n) continue
    if (symbol === localNetwork.nativeToken) {
      if ((await client.getBalance({ address: wallet })) >= wanted / 2n) continue
      await client.setBalance({ address: wallet, value: wanted })
      hasChanged = true
      continue
    }
    const token = deployed[symbol]
    if (!token) continue
    const held = await client.readContract({
      address: token,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [wallet],
    })
    if (held >= wanted / 2n) continue
    const args = [wallet, wanted - held] as const
    mints.push({ to: token, data: encodeFunctionData({ abi: mintAbi, functionName: 'mint', args }) })
  }
  await actAsDeployer(client, mints)
  return hasChanged || mints.length > 0
}

const purses: Partial<Readonly<Record<LocalRole, Purse>>> = {
  merchant: { ETH: 10 },
  buyer: Object.fromEntries(tokenKinds.map(({ symbol, local }) => [symbol, local.purse])),
  deployer: { ETH: 1_000 },
  keeper: { ETH: 1_000 },
  // Delivers what is paid by play cards.
  treasury: { ETH: 1_000, USDC: 100_000_000 },
  relayer: { ETH: 100 },
}

/** Fills the purses of everybody in the local shop who pays for something. Safe to repeat: only a purse below half is filled. */
export async function fundDemoAccounts(
  client: AnvilClient,
  contracts: LocalContracts,
  masterKey: string,
): Promise<boolean> {
  let hasChanged = false
  for (const [role, purse] of Object.entries(purses)) {
    const { address } = localWallet(masterKey, role as LocalRole)
    if (await fund(client, contracts, address, purse)) hasChanged = true
  }
  return hasChanged
}
