import type { Wallet } from '@sluice/protocol/wallet.ts'
import { writePrivateFile } from '../platform/process/private-file.ts'
import type { LocalContracts } from './deploy-contracts.ts'
import type { LocalWallet } from './master-key.ts'

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
