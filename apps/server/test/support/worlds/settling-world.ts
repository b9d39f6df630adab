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
  /** Units of money that are not in exactly one place, and statuses without a cause. */
  findMisplaced(): Promise<string[]>
}

/** Starts it. */
export async function startSettlingWorld(options: Pick<ChainOptions, 'rates'> = {}): Promise<SettlingWorld> {
  const far = farChain()
  const policy = always('seen')
  const world = await startPaymentWorld({ ...options, policy, slotsInAnEpoch: 1, outbound: far.over })
  far.isFar = true
  return {
    ...world,
    async findMisplaced() {
      const broken = await findBroken(world.needs.db, world.chain.rpcUrl, { hasLostPayments: true })
      return broken.filter((each) => !each.startsWith('5-'))
    },
  }
}
