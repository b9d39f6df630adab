import type { DeployCall, SplitView } from '@sluice/protocol/api/split.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Recipient, Split } from '../split.ts'
import { deployOrder } from './deploy-splits.ts'

/** A merchant's split as the API shows it; without one, the contract's empty configuration. */
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

/** Recipients as the contract writes them. */
export function viewRecipients(recipients: readonly Recipient[]): { address: Wallet; sharesBps: number }[] {
  return recipients.map(({ address, sharesBps }) => ({ address, sharesBps }))
}

/** The call with which any wallet puts a split on the chain; a second one does nothing. */
export function viewDeployCall(split: Split): DeployCall {
  const { to, data } = deployOrder(split)
  return { to, data }
}
