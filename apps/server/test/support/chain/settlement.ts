import { jobNames } from '../../../src/platform/jobs/names.ts'
import { always, type ChainOptions } from './chain-api.ts'
import { findBroken } from './check-invariants.ts'
import { farChain } from './endpoints.ts'
import { startPayments } from './payments.ts'

export const settlingWork = [
  jobNames.settleTransactions,
  jobNames.sweepDeposits,
  jobNames.scanDistributions,
  jobNames.distributeSplits,
  jobNames.reconcileReceipts,
]

/** Starts payments on a slow chain. One confirmation is enough; a block is final two blocks later. */
export async function startSettlement(options: Pick<ChainOptions, 'rates'> = {}) {
  const far = farChain()
  const policy = always('seen')
  const context = await startPayments({ ...options, policy, slotsInAnEpoch: 1, outbound: far.over })
  far.isFar = true
  /** Runs watcher and keeper, block by block. Returns whether `isDone` became true. */
  async function drive(isDone: () => Promise<boolean>, blockCount = 20) {
    for (let block = 0; block < blockCount; block++) {
      await context.scan()
      await context.run(...settlingWork)
      if (await isDone()) return true
      await context.mine()
      context.api.clock.jumpTo(context.api.clock.now() + 60_000)
    }
    return false
  }
  return {
    ...context,
    drive,
    async reconcile(ids: readonly string[], blockCount?: number) {
      const areReconciled = async () =>
        (await Promise.all(ids.map(context.detail))).every(({ status }) => status === 'reconciled')
      return drive(areReconciled, blockCount)
    },
    /** Returns a line for each amount that is not in exactly one place, and each status without a cause. */
    async findMisplaced(checks: { hasLostPayments?: boolean } = { hasLostPayments: true }) {
      const broken = await findBroken(context.needs.db, context.chain.rpcUrl, checks)
      return broken.filter((each) => !each.startsWith('5-'))
    },
  }
}
