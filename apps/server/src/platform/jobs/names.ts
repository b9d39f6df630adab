/**
 * The name of every job: whoever has something for it to do nudges it by this, also from below its module. Names
 * are kept in the database with what a job set aside.
 */
export const jobNames = {
  anchorAudit: 'anchor-audit-log',
  applyJournal: 'apply-journal',
  applySplitChanges: 'apply-split-changes',
  auditRefusedAttempts: 'audit-refused-attempts',
  compareChain: 'compare-chain',
  countReplicas: 'count-replicas',
  deliverWebhooks: 'deliver-webhooks',
  deploySplits: 'deploy-splits',
  distributeSplits: 'distribute-splits',
  pruneAccess: 'forget-old',
  keepFeed: 'keep-feed',
  pollOnramp: 'poll-onramp',
  readBrandOrigins: 'read-brand-origins',
  runSandbox: 'run-card-sandbox',
  readGasBalances: 'read-gas-balances',
  reconcileOnramp: 'reconcile-onramp',
  reconcileReceipts: 'reconcile-receipts',
  relayPayments: 'relay-payments',
  refreshRates: 'refresh-rates',
  scanClosed: 'scan-closed',
  scanDistributions: 'scan-distributions',
  scanLost: 'scan-lost',
  scanOld: 'scan-old',
  scanTransfers: 'scan-transfers',
  settleStock: 'settle-stock',
  settleTransactions: 'settle-transactions',
  sweepDeposits: 'sweep-deposits',
  verifyRefunds: 'verify-refunds',
  writeLastUsed: 'write-last-used',
  writeRequestLog: 'write-request-log',
} as const

/** The cursors of the chain's readers, by what each reads. */
export const cursorNames = {
  transfers: 'transfers',
  closed: 'transfers-closed',
  old: 'transfers-old',
  distributions: 'distributions',
  comparison: 'comparison',
} as const
