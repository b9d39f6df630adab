import type { SplitView } from '@sluice/protocol/api/split.ts'
import type { Split } from './split.ts'

/** A merchant's split as the API shows it; without one, the contract's empty configuration. */
export function viewSplit(split: Split | undefined, chainId: number): SplitView {
  if (!split) return { address: null, recipients: [], version: null, chainId, deployed: false, pending: null }
  return {
    address: split.address,
    recipients: split.recipients.map(({ address, sharesBps }) => ({ address, sharesBps })),
    version: Number(split.version),
    chainId: split.chain,
    deployed: split.deployedAt !== undefined,
    pending: null,
  }
}
