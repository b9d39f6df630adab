import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type LocalRole, localWallet } from '../../../src/local/master-key.ts'
import type { LocalJson } from '../../../src/local/write-local-json.ts'

/** What another process is told so that it serves the same shop: address, database, chain, keys and wallets of the first. */
export async function settingsLike(local: LocalJson, dataDir: string): Promise<Record<string, string>> {
  const masterKey = (await readFile(join(dataDir, 'master.key'), 'utf8')).trim()
  const wallet = (role: LocalRole) => localWallet(masterKey, role)
  return {
    BASE_URL: local.baseUrl,
    DATABASE_URL: local.databaseUrl,
    RPC_URLS: local.rpcUrl,
    CHAIN_ID: String(local.chainId),
    SLUICE_MASTER_KEY: masterKey,
    DEPLOYER_KEY: wallet('deployer').privateKey,
    KEEPER_KEY: wallet('keeper').privateKey,
    PLATFORM_RECIPIENT: wallet('platform').address,
  }
}
