import { openSender } from '../chain/own-transaction.ts'
import { settleTransactionsJob } from '../chain/own-transaction-lane.ts'
import { settleStockJob } from '../orders/settle-stock.ts'
import { compareChainJob } from '../payments/compare-chain.ts'
import type { FinalityPolicy } from '../payments/finality.ts'
import { keepFactoriesJob } from '../payments/keep-factories.ts'
import { reconcileReceiptsJob } from '../payments/reconcile-receipts.ts'
import { makeScanClosedJob } from '../payments/scan-closed.ts'
import { scanDistributionsJob } from '../payments/scan-distributions.ts'
import { makeScanOldJob } from '../payments/scan-old.ts'
import { makeScanTransfersJob } from '../payments/scan-transfers.ts'
import { sweepDepositsJob } from '../payments/sweep-deposits.ts'
import { verifyRefundsJob } from '../payments/verify-refunds.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { Job } from '../platform/ticker.ts'
import { makeRefreshRatesJob } from '../pricing/rate-book.ts'
import { applySplitChangesJob } from '../split/apply-changes.ts'
import { deploySplitsJob } from '../split/deploy-splits.ts'
import { distributeSplitsJob } from '../split/distribute-due.ts'
import { makeDeliverJob } from '../webhooks/deliver-due.ts'
import { makeKeepFeedJob } from '../webhooks/keep-feed.ts'
import type { CompleteConfig, World } from './world.ts'

/** Everything the service does without being asked, one line each. */
export function makeJobs(
  world: World,
  config: CompleteConfig,
  parts: { secrets: Secrets; policy: FinalityPolicy; metrics: Metrics },
): Job[] {
  const { secrets, policy, metrics } = parts
  const { holder } = world
  const deployer = config.deployerKey && openSender(config.deployerKey)
  const keeper = config.keeperKey && openSender(config.keeperKey)
  const senders = [deployer, keeper].filter((sender) => sender !== undefined)
  return [
    makeRefreshRatesJob(world),
    makeDeliverJob({ ...world, outbound: world.webhooks, secrets, metrics }),
    makeKeepFeedJob(world),
    keepFactoriesJob(world),
    makeScanTransfersJob({ ...world, policy }),
    makeScanClosedJob({ ...world, policy }),
    makeScanOldJob({ ...world, policy }),
    scanDistributionsJob(world),
    compareChainJob({ ...world, policy }),
    reconcileReceiptsJob(world),
    verifyRefundsJob({ ...world, policy }),
    settleStockJob({ ...world, clock: world.chain.time }),
    deploySplitsJob(world, deployer, holder),
    applySplitChangesJob({ ...world, secrets }),
    ...(keeper
      ? [sweepDepositsJob(world, keeper, holder), distributeSplitsJob(world, { sender: keeper, holder })]
      : []),
    ...(senders.length > 0 ? [settleTransactionsJob(world, senders, holder)] : []),
  ]
}
