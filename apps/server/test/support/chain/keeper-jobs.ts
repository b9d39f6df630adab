import { settleTransactionsJob } from '../../../src/chain/transactions/nonce-lane.ts'
import { makeFinalityPolicy } from '../../../src/payments/cursors/finality.ts'
import { scanDistributionsJob } from '../../../src/payments/distributions/scan-distributions.ts'
import { makeScanTransfersJob } from '../../../src/payments/indexer/scan-transfers.ts'
import { reconcileReceiptsJob } from '../../../src/payments/reconciliation/reconcile-receipts.ts'
import { sweepDepositsJob } from '../../../src/payments/sweeping/sweep-deposits.ts'
import type { Job } from '../../../src/platform/jobs/ticker.ts'
import { distributeSplitsJob } from '../../../src/split/distributing/distribute-due.ts'
import { deploySplitsJob } from '../../../src/split/setup/deploy-splits.ts'
import { runJob, type SplitBench } from '../worlds/split-bench.ts'

/** The jobs of one process, from the payment to the reconciled receipt. */
export type KeeperJobs = Readonly<
  Record<'watch' | 'settle' | 'deploy' | 'sweep' | 'book' | 'distribute' | 'reconcile', Job>
>

/** The jobs as a process of that name has them. */
export function keeperJobs(bench: SplitBench, holder = 'keeper'): KeeperJobs {
  const { needs, keeper } = bench
  const policy = makeFinalityPolicy({ isProduction: false, endpointCount: 1 })
  return {
    watch: makeScanTransfersJob({ ...needs, policy }),
    settle: settleTransactionsJob(needs, [keeper], holder),
    deploy: deploySplitsJob(needs, keeper, holder),
    sweep: sweepDepositsJob(needs, keeper, holder),
    book: scanDistributionsJob(needs),
    distribute: distributeSplitsJob(needs, { sender: keeper, holder }),
    reconcile: reconcileReceiptsJob(needs),
  }
}

/** Runs jobs and mines, block by block, until `isDone`. Each round the jobs are made anew: nothing is in memory. */
export async function drive(
  bench: SplitBench,
  isDone: () => Promise<boolean>,
  jobs: () => readonly Job[] = () => Object.values(keeperJobs(bench)),
): Promise<void> {
  for (let block = 0; block < 25; block++) {
    for (const job of jobs()) await runJob(job)
    if (await isDone()) return
    await passBlock(bench)
  }
  throw new Error('it never came about')
}

/** Mines a block and moves the clock by a second. */
export async function passBlock(bench: SplitBench): Promise<void> {
  await bench.node.mine()
  await bench.clock.advance(1_000)
}
