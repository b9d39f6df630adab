import { jobNames } from '../../../src/platform/jobs/names.ts'
import { farChain } from '../chain/far-chain.ts'
import { always, type ChainOptions } from './chain-api.ts'
import { findBroken } from './check-invariants.ts'
import { type PaymentWorld, startPaymentWorld } from './payment-world.ts'

/** What comes after the watcher, up to the reconciled receipt. */
export const settlingWork = [
  jobNames.settleTransactions,
  jobNames.sweepDeposits,
  jobNames.scanDistributions,
  jobNames.distributeSplits,
  jobNames.reconcileReceipts,
]

/** A world far from its chain, in which one confirmation is enough and a block is final two later. */
export type SettlingWorld = PaymentWorld & {
  /** Lets watcher and keeper work, block by block; `false` where it never `isDone`. */
  drive(isDone: () => Promise<boolean>, blockCount?: number): Promise<boolean>
  /** As {@link drive}, until the receipts are all reconciled. */
  reconcile(ids: readonly string[], blockCount?: number): Promise<boolean>
  /** Units of money that are not in exactly one place, and statuses without a cause. */
  findMisplaced(options?: { hasLostPayments?: boolean }): Promise<string[]>
}

/** Starts it. */
export async function startSettlingWorld(options: Pick<ChainOptions, 'rates'> = {}): Promise<SettlingWorld> {
  const far = farChain()
  const policy = always('seen')
  const world = await startPaymentWorld({ ...options, policy, slotsInAnEpoch: 1, outbound: far.over })
  far.isFar = true
  const settling: SettlingWorld = {
    ...world,
    async drive(isDone, blockCount = 20) {
      for (let block = 0; block < blockCount; block++) {
        await world.scan()
        await world.run(...settlingWork)
        if (await isDone()) return true
        await world.mine()
        world.api.clock.jumpTo(world.api.clock.now() + 60_000)
      }
      return false
    },
    async reconcile(ids, blockCount) {
      const areReconciled = async () =>
        (await Promise.all(ids.map(world.detail))).every(({ status }) => status === 'reconciled')
      return settling.drive(areReconciled, blockCount)
    },
    async findMisplaced(options = { hasLostPayments: true }) {
      const broken = await findBroken(world.needs.db, world.chain.rpcUrl, options)
      return broken.filter((each) => !each.startsWith('5-'))
    },
  }
  return settling
}
