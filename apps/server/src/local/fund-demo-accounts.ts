import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import type { AnvilClient } from './anvil.ts'
import type { LocalContracts } from './deploy-contracts.ts'
import { fund, type Purse } from './fund.ts'
import { type LocalRole, localWallet } from './master-key.ts'

const purses: Partial<Readonly<Record<LocalRole, Purse>>> = {
  merchant: { ETH: 10 },
  buyer: Object.fromEntries(tokenKinds.map(({ symbol, local }) => [symbol, local.purse])),
  deployer: { ETH: 1_000 },
  keeper: { ETH: 1_000 },
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
