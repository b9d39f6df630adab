import type { Chain } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { PlatformFee } from './configure-split.ts'

/** What the split endpoints lean on. */
export type SplitNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly secrets: Secrets
  readonly chain: Pick<
    Chain,
    'id' | 'tokens' | 'factory' | 'callCode' | 'isCorroborated' | 'readBalances' | 'readHead' | 'readLogs'
  >
  readonly splits: SplitTerms
}

/** How a deployment treats splits. */
export type SplitTerms = {
  readonly platform: PlatformFee
  /** This service pays for putting splits on the chain; else merchants' wallets do. */
  readonly hasDeployer: boolean
  /** How long a change of recipients waits. */
  readonly changeDelayMs: number
}
