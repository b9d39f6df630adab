import type { DeployCall, SplitView } from '@sluice/protocol/api/split.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { Recipient, Split } from '../split.ts'
import type { PlatformFee } from './configure-split.ts'
import { deployOrder } from './deploy-splits.ts'

export function viewSplit(
  split: Split | undefined,
  chainId: number,
  pending: Split | undefined = undefined,
): SplitView {
  if (!split) return { address: null, recipients: [], version: null, chainId, deployed: false, pending: null }
  return {
    address: split.address,
    recipients: viewRecipients(split.recipients),
    version: Number(split.version),
    chainId: split.chain,
    deployed: split.deployedAt !== undefined,
    pending: pending
      ? {
          version: Number(pending.version),
          address: pending.address,
          recipients: viewRecipients(pending.recipients),
          effectiveAt: pending.effectiveAt,
          deployed: pending.deployedAt !== undefined,
        }
      : null,
  }
}

export function viewRecipients(recipients: readonly Recipient[]): { address: Wallet; sharesBps: number }[] {
  return recipients.map(({ address, sharesBps }) => ({ address, sharesBps }))
}

export function viewDeployCall(split: Split): DeployCall {
  const { to, data } = deployOrder(split)
  return { to, data }
}

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

export type SplitTerms = {
  readonly platform: PlatformFee
  /** False if merchants' wallets pay for deployments. */
  readonly hasDeployer: boolean
  readonly changeDelayMs: number
}
