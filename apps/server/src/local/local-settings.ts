import { hkdfSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { bytesToHex, type Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { assert } from '../kernel/assert.ts'
import type { Random } from '../kernel/random.ts'
import { writePrivateFile } from '../platform/process/private-file.ts'
import type { Config } from '../platform/settings/config.ts'
import type { LocalContracts } from './deploy-contracts.ts'

/**
 * Completes the configuration for development: the master key and, on the local chain, the wallets of the
 * platform, deployer, relayer, keeper and sandbox treasury. Explicit settings take precedence.
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

/** Content of `local.json`, including the private keys of test wallets. */
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

/** Writes `local.json` atomically, with mode 0600. */
export function writeLocalJson(path: string, local: LocalJson): Promise<void> {
  return writePrivateFile(path, `${JSON.stringify(local, undefined, 2)}\n`)
}

export type LocalWallet = { readonly address: Wallet; readonly privateKey: Hex }

export type LocalRole =
  | 'merchant'
  | 'buyer'
  | 'deployer'
  | 'keeper'
  | 'relayer'
  | 'platform'
  | 'partner'
  | 'treasury'

/** Returns the master key in `master.key` of `dataDir`. Creates the file on the first start. */
export async function readMasterKey(random: Random, dataDir: string): Promise<string> {
  const path = join(dataDir, 'master.key')
  const found = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (found !== undefined) {
    const key = found.trim()
    if (key.length < 32) throw new Error(`${path} does not contain a master key of at least 32 characters`)
    return key
  }
  const key = Buffer.from(random.bytes(32)).toString('base64url')
  await writePrivateFile(path, `${key}\n`)
  return key
}

/**
 * Returns the wallet of a role. The wallet is derived from the master key, so it is stable and its private
 * key is not stored.
 */
export function localWallet(masterKey: string, role: LocalRole): LocalWallet {
  const bytes = new Uint8Array(hkdfSync('sha256', masterKey, 'sluice local wallet', role, 32))
  const privateKey = bytesToHex(bytes)
  const address = parseWallet(privateKeyToAddress(privateKey))
  assert(address, 'a private key has an address')
  return { address, privateKey }
}
