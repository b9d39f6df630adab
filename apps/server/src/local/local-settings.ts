import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Random } from '../kernel/random.ts'
import { writePrivateFile } from '../platform/process/private-file.ts'
import type { Config } from '../platform/settings/config.ts'
import type { LocalContracts } from './deploy-contracts.ts'
import { type LocalWallet, localWallet, readMasterKey } from './master-key.ts'

/**
 * The configuration with what a development start may leave out: the master key, and on the local chain
 * the wallets that pay for the service's own transactions, the one that gets the platform's share, and the one that
 * play cards are paid from.
 * What is set stays as it is.
 */
export async function completeSettings(
  needs: { random: Random },
  config: Config,
  found: { databaseUrl: string; rpcUrls: readonly string[]; isLocalChain: boolean },
): Promise<Config & { readonly masterKey: string; readonly databaseUrl: string }> {
  const masterKey = config.masterKey ?? (await readMasterKey(needs.random, config.dataDir))
  const completed = { ...config, masterKey, databaseUrl: found.databaseUrl, rpcUrls: found.rpcUrls }
  if (!found.isLocalChain) return completed
  return {
    ...completed,
    platformRecipient: config.platformRecipient ?? localWallet(masterKey, 'platform').address,
    deployerKey: config.deployerKey ?? localWallet(masterKey, 'deployer').privateKey,
    relayerKey: config.relayerKey ?? localWallet(masterKey, 'relayer').privateKey,
    keeperKey: config.keeperKey ?? localWallet(masterKey, 'keeper').privateKey,
    sandboxTreasuryKey: config.sandboxTreasuryKey ?? localWallet(masterKey, 'treasury').privateKey,
  }
}

/** All that a program needs to play with a local service (decisions: Running it). Holds keys of play money. */
export type LocalJson = {
  readonly baseUrl: string
  readonly rpcUrl: string
  readonly chainId: number
  readonly subscriptionKey: string
  readonly merchant: LocalWallet
  readonly buyer: LocalWallet
  readonly tokens: LocalContracts['tokens']
  readonly split: Wallet
  readonly databaseUrl: string
}

/** Writes `local.json`, mode 0600, all of it or nothing. */
export function writeLocalJson(path: string, local: LocalJson): Promise<void> {
  return writePrivateFile(path, `${JSON.stringify(local, undefined, 2)}\n`)
}
