/**
 * Statements that ask every machine that merchants are spread over: what operators, metrics and tools ask, and what jobs ask
 * so seldom that it does not matter. None is of a request of merchants or buyers.
 */
export const asksAll: ReadonlySet<string> = new Set([
  'audit-list-amounts',
  'audit-list-deposits',
  'audit-list-lost-credits',
  'count-audit-entries',
  'count-pending-notices',
  'count-unnumbered-events',
  'count-waiting-deposits',
  'list-all-merchants-with-unnumbered-events',
  'list-attempts-without-factory',
  'list-audit-chains',
  'list-merchants',
  'list-merchants-to-fold',
  'list-merchants-with-old-events',
  'list-merchants-with-pending-notices',
  'list-merchants-with-unswept-deposits',
  'list-merchants-with-waiting-deposits',
  'list-newest-sealed-keys',
  'list-sealed-keys',
  'list-sealed-notices',
  'list-sealed-receipts',
  'list-splits-without-factory',
  'list-unanchored-audit-heads',
  'list-unkeyed-audit-chains',
  'mark-audit-heads-anchored',
  'prune-unopened-onramp-sessions',
  'replace-sealed-keys',
  'replace-sealed-notices',
  'replace-sealed-receipts',
  'save-attempt-factories',
  'save-split-factories',
])

/**
 * Statements in which an insert reads what another part of the statement gives: a cluster sends that to all machines first,
 * so that they fail for everybody while one is away. All but the last are for one PostgreSQL; the last waits.
 */
export const sendsToAll: ReadonlySet<string> = new Set([
  'insert-keyed-receipts',
  'insert-keyed-receipts-beside-held',
  'insert-receipts',
  'insert-receipts-beside-held',
  'fold-receipt-tallies',
])

/**
 * Statements that leave out rows of several merchants that others hold: a cluster cannot do that over several machines, and
 * the service sends others there.
 */
export const locksOnOneMachine: ReadonlySet<string> = new Set(['claim-free-notices'])

/**
 * Statements that may update or delete rows of several merchants, and what was decided of each: on a cluster such a one
 * waits for all the machines of these at once, with the rows of those it has done locked, and is done on all or on none.
 */
export const writesOfMany: ReadonlySet<string> = new Set([
  // Of one merchant in each call, who is named by its rows.
  'lose-payments',
  'lose-unmatched-payments',
  'move-payments',
  'move-unmatched-payments',
  'renumber-split-arrivals',
  'save-payment-states',
  'settle-split-arrivals',
  // On one PostgreSQL alone: a cluster is sent others.
  'claim-free-notices',
  // Of several machines: whoever sends it leaves out merchants whose machine is away, and sends it again.
  'claim-notices',
  'forget-kept-answers',
  'forget-request-lines',
  'free-notices-of',
  'touch-subscriptions',
])

/**
 * Statements that look for one after the other of several merchants or lanes, and take the first few of each: a cluster
 * cannot, and the service sends others there.
 */
export const asksInTurn: ReadonlySet<string> = new Set(['find-next-due-notice', 'list-due-notices'])
