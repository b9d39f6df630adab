import { makeAnchorAuditJob } from '../access/audit/anchor-audit.ts'
import { makeCountReplicasJob } from '../access/limits/rate-limits.ts'
import { makeForgetJob } from '../access/prune-access.ts'
import type { GasAccounts } from '../chain/transactions/gas-accounts.ts'
import { settleTransactionsJob } from '../chain/transactions/nonce-lease.ts'
import { openSender } from '../chain/transactions/transaction.ts'
import { settleStockJob } from '../orders/settle-stock.ts'
import type { DepositReferences } from '../payments/attempts/references.ts'
import { pollSessionsJob } from '../payments/cards/poll-sessions.ts'
import { reconcileSessionsJob } from '../payments/cards/reconcile-sessions.ts'
import { compareChainJob } from '../payments/comparison/compare-chain.ts'
import type { FinalityPolicy } from '../payments/cursors/finality.ts'
import { scanDistributionsJob } from '../payments/distributions/scan-distributions.ts'
import { makeScanClosedJob } from '../payments/indexer/scan-closed.ts'
import { makeScanOldJob } from '../payments/indexer/scan-old.ts'
import { makeScanTransfersJob } from '../payments/indexer/scan-transfers.ts'
import { reconcileReceiptsJob } from '../payments/reconciliation/reconcile-receipts.ts'
import { makeScanLostJob } from '../payments/recovery/scan-lost.ts'
import { makeWriteKitJob } from '../payments/recovery/write-kit.ts'
import { verifyRefundsJob } from '../payments/refunds/verify-refunds.ts'
import { relayPaymentsJob } from '../payments/relaying/relay-payments.ts'
import type { Relayer } from '../payments/relaying/relayer.ts'
import { sweepDepositsJob } from '../payments/sweeping/sweep-deposits.ts'
import { facilitatePaymentsJob } from '../payments/x402/facilitate-payments.ts'
import type { Facilitator } from '../payments/x402/facilitator.ts'
import type { Job } from '../platform/jobs/ticker.ts'
import type { Metrics } from '../platform/metrics.ts'
import { makeRefreshRatesJob } from '../pricing/rates/rate-book.ts'
import type { BrandOrigins } from '../site/brand-origins.ts'
import { distributeSplitsJob } from '../split/distributing/distribute-due.ts'
import { deploySplitsJob } from '../split/setup/deploy-splits.ts'
import { applySplitChangesJob } from '../split/versions/apply-changes.ts'
import { makeDeliverJob } from '../webhooks/delivery/deliver-due.ts'
import { makeKeepFeedJob } from '../webhooks/feed/keep-feed.ts'
import { sandboxJobs, treasurySender } from './card-sandbox.ts'
import type { ServeNeeds } from './http/serve-route.ts'
import type { CompleteConfig, Runtime } from './runtime.ts'

export type JobParts = {
  readonly access: Pick<ServeNeeds, 'secrets' | 'limits' | 'refused' | 'requests' | 'lastUsed'>
  readonly policy: FinalityPolicy
  readonly references: DepositReferences
  readonly metrics: Metrics
  readonly brandOrigins: BrandOrigins
  readonly relayer: Relayer | undefined
  readonly facilitator: Facilitator | undefined
  readonly gasAccounts: GasAccounts
  readonly applyJournal: Job
}

export function makeJobs(context: Runtime, config: CompleteConfig, parts: JobParts): Job[] {
  const {
    access,
    policy,
    references,
    metrics,
    brandOrigins,
    relayer,
    facilitator,
    gasAccounts,
    applyJournal,
  } = parts
  const { secrets, limits, refused, requests, lastUsed } = access
  const { holder } = context
  const deployer = config.deployerKey && openSender(config.deployerKey)
  const keeper = config.keeperKey && openSender(config.keeperKey)
  const senders = [deployer, keeper, relayer?.sender, treasurySender(config)].filter(
    (sender) => sender !== undefined,
  )
  return [
    makeRefreshRatesJob(context),
    makeDeliverJob({ ...context, outbound: context.webhooks, secrets, metrics }),
    makeKeepFeedJob(context),
    makeScanTransfersJob({ ...context, policy }),
    makeScanClosedJob({ ...context, policy }),
    makeScanOldJob({ ...context, policy }),
    makeScanLostJob({ ...context, policy, references }),
    makeWriteKitJob(context, config.dataDir),
    scanDistributionsJob(context),
    compareChainJob({ ...context, policy }),
    reconcileReceiptsJob(context),
    ...(context.onramp.all.length > 0 ? [pollSessionsJob(context), reconcileSessionsJob(context)] : []),
    verifyRefundsJob({ ...context, policy }),
    settleStockJob({ ...context, clock: context.chain.time }),
    deploySplitsJob(context, deployer, holder),
    applySplitChangesJob({ ...context, secrets }),
    sweepDepositsJob(context, keeper, holder),
    ...(keeper ? [distributeSplitsJob(context, { sender: keeper, holder })] : []),
    ...(facilitator
      ? [facilitatePaymentsJob(context, facilitator, holder)]
      : relayer
        ? [relayPaymentsJob(context, relayer, holder)]
        : []),
    ...(senders.length > 0 ? [settleTransactionsJob(context, senders, holder), gasAccounts.makeJob()] : []),
    ...sandboxJobs(context, config),
    requests.makeJob(),
    lastUsed.makeJob(context),
    refused.makeJob(),
    makeAnchorAuditJob(context),
    makeForgetJob(context),
    makeCountReplicasJob({ ...context, limits }),
    brandOrigins.makeJob(context),
    applyJournal,
  ]
}
