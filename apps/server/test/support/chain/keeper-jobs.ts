import { jobNames } from '../../../src/platform/jobs/names.ts'
import type { Job } from '../../../src/platform/jobs/ticker.ts'
import type { ChainApi } from '../worlds/chain-api.ts'
import { runToRest } from '../worlds/run-to-rest.ts'
import type { JobChanges } from '../worlds/start-api.ts'

/** The jobs from the payment to the reconciled receipt, in the order of their work. */
export const keeperWork = [
  jobNames.scanTransfers,
  jobNames.settleTransactions,
  jobNames.deploySplits,
  jobNames.sweepDeposits,
  jobNames.scanDistributions,
  jobNames.distributeSplits,
  jobNames.reconcileReceipts,
]

/** The jobs as another process has them, or this one where `changes` say nothing else. */
export function keeperJobs(bench: Pick<ChainApi, 'job'>, changes?: JobChanges): Job[] {
  return keeperWork.map((name) => bench.job(name, changes))
}

/** Runs jobs and mines, block by block, until `isDone`. Each round the jobs are made anew: nothing is in memory. */
export async function drive(
  bench: ChainApi,
  isDone: () => Promise<boolean>,
  jobs: () => readonly Job[] = () => keeperJobs(bench, {}),
): Promise<void> {
  for (let block = 0; block < 25; block++) {
    for (const job of jobs()) await runToRest(job)
    if (await isDone()) return
    await passBlock(bench)
  }
  throw new Error('it never came about')
}

/** Mines a block and moves the clock by a second. */
export async function passBlock(bench: ChainApi): Promise<void> {
  await bench.node.mine()
  await bench.clock.advance(1_000)
}
