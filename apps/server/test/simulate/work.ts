import { jobNames } from '../../src/platform/jobs/names.ts'
import type { JobName } from '../support/api/start-api.ts'

/** Jobs that compete for turns. A job that is named twice has twice as many. */
export const usualWork: readonly JobName[] = [
  jobNames.scanTransfers,
  jobNames.scanTransfers,
  jobNames.scanTransfers,
  jobNames.scanClosed,
  jobNames.settleTransactions,
  jobNames.deploySplits,
  jobNames.sweepDeposits,
  jobNames.scanDistributions,
  jobNames.distributeSplits,
  jobNames.reconcileReceipts,
  jobNames.compareChain,
  jobNames.verifyRefunds,
  jobNames.deliverWebhooks,
]

/** Jobs that find what others missed. While everything comes to rest, they run in every third round. */
export const rareWork: ReadonlySet<JobName> = new Set([
  jobNames.scanClosed,
  jobNames.compareChain,
  jobNames.deploySplits,
])

/** Jobs for card payments. */
export const cardWork: readonly JobName[] = [jobNames.pollOnramp, jobNames.reconcileOnramp]

/** Jobs for payments by signature. */
export const relayWork: readonly JobName[] = [jobNames.relayPayments, jobNames.relayPayments]

/** Jobs for changes of recipients. */
export const splitWork: readonly JobName[] = [
  ...[jobNames.deploySplits, jobNames.deploySplits],
  ...[jobNames.applySplitChanges, jobNames.applySplitChanges],
]
