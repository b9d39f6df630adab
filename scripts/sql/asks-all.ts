/**
 * Statements that query all shards: statements of operators, metrics and tools, and of jobs that look for due
 * work. Requests of merchants and buyers run none of them.
 */
export const asksAll: ReadonlySet<string> = new Set([
  'audit-list-amounts',
  'audit-list-deposits',
  'audit-list-lost-credits',
  'count-audit-entries',
  'count-pending-messages',
  'count-unnumbered-events',
  'count-waiting-deposits',
  'find-next-due-message',
  'free-messages-of',
  'list-audit-chains',
  'list-merchants',
  'list-merchants-with-old-events',
  'list-merchants-with-due-messages',
  'list-merchants-with-unnumbered-events',
  'list-merchants-with-unswept-deposits',
  'list-newest-encrypted-keys',
  'list-encrypted-keys',
  'list-encrypted-messages',
  'list-encrypted-receipts',
  'list-sweeps-waiting',
  'list-unanchored-audit-heads',
  'mark-audit-heads-anchored',
  'prune-unopened-onramp-sessions',
  'replace-encrypted-keys',
  'replace-encrypted-messages',
  'replace-encrypted-receipts',
])
