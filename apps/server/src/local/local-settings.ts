import type { Random } from '../kernel/random.ts'
import type { Config } from '../platform/settings/config.ts'
import { localWallet, readMasterKey } from './master-key.ts'

/**
 * The configuration with what a development start may leave out: the master key, and on the local chain
 * the wallets that pay for the service's own transactions and the one that gets the platform's share.
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
  }
}
