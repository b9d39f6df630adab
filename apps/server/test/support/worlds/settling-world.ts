import { settleTransactionsJob } from '../../../src/chain/transactions/nonce-lane.ts'
import { openSender } from '../../../src/chain/transactions/transaction.ts'
import { scanDistributionsJob } from '../../../src/payments/distributions/scan-distributions.ts'
import { reconcileReceiptsJob } from '../../../src/payments/reconciliation/reconcile-receipts.ts'
import { sweepDepositsJob } from '../../../src/payments/sweeping/sweep-deposits.ts'
import type { Job } from '../../../src/platform/jobs/ticker.ts'
import { distributeSplitsJob } from '../../../src/split/distributing/distribute-due.ts'
import { farChain } from '../chain/far-chain.ts'
import { findBroken } from './check-invariants.ts'
import { always, type PaymentWorld, startPaymentWorld } from './payment-world.ts'

/** A world far from its chain, in which one confirmation is enough and a block is final two later. */
export type SettlingWorld = PaymentWorld & {
  /** What comes after the watcher, up to the reconciled receipt. */
  readonly jobs: Readonly<Record<'settle' | 'sweep' | 'book' | 'distribute' | 'reconcile', Job>>
  /** A receipt as its merchant reads it. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into the body
  detail(id: string): Promise<any>
  /** Units of money that are not in exactly one place, and statuses without a cause. */
  findMisplaced(): Promise<string[]>
}

/** Starts it. */
export async function startSettlingWorld(
  options: Pick<NonNullable<Parameters<typeof startPaymentWorld>[0]>, 'rates'> = {},
): Promise<SettlingWorld> {
  const far = farChain()
  const policy = always('seen')
  const world = await startPaymentWorld({ ...options, policy, slotsInAnEpoch: 1, outbound: far.over })
  const { needs } = world
  const keeper = world.chain.accounts[2]
  if (!keeper) throw new Error('there are five accounts')
  const sender = openSender(keeper.privateKey)
  far.isFar = true
  return {
    ...world,
    jobs: {
      settle: settleTransactionsJob(needs, [sender], 'test'),
      sweep: sweepDepositsJob(needs, sender, 'test'),
      book: scanDistributionsJob(needs),
      distribute: distributeSplitsJob(needs, { sender, holder: 'test' }),
      reconcile: reconcileReceiptsJob(needs),
    },
    async detail(id) {
      return (await world.api.call('GET', `/api/receipts/${id}`, { key: world.merchant.key })).body
    },
    async findMisplaced() {
      const broken = await findBroken(needs.db, world.chain.rpcUrl, { hasLostPayments: true })
      return broken.filter((each) => !each.startsWith('5-'))
    },
  }
}
