import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Hex } from '../../chain/chain.ts'
import type { FinalityPolicy, FinalityTags } from '../cursors/finality.ts'
import type { ReturnedLog } from '../ledger/known-log.ts'
import type { Finding } from '../ledger/match-transfer.ts'

export type SettleContext = {
  readonly chain: number
  readonly tags: FinalityTags
  readonly coveredTo: UnixMs
  /** Policy of the deployment. The merchant's own policy takes precedence. */
  readonly policy: FinalityPolicy
}

export type ChainChanges = {
  readonly findings?: readonly Finding[]
  readonly returned?: readonly ReturnedLog[]
  /** Blocks removed in this step. Payments in `returned` may have been in these blocks. */
  readonly lost?: readonly Hex[]
}
