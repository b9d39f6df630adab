type Reason = (typeof reasons)[keyof typeof reasons]

const reasons = {
  isAllDue: 'the index holds nothing but what is due or not yet done, and all of it is wanted',
  isSmall: 'the table stays small',
  isSeldom: 'it is asked at a start, once a day, or by an operator',
} as const

/** Statements that read a table or an index from end to end, and why that does no harm. */
export const wholeReads: ReadonlyMap<string, Reason> = new Map([
  ['count-pending-notices', reasons.isAllDue],
  ['count-unnumbered-events', reasons.isAllDue],
  ['list-all-merchants-with-unnumbered-events', reasons.isAllDue],
  ['list-merchants-with-pending-notices', reasons.isAllDue],
  ['list-merchants-with-unswept-deposits', reasons.isAllDue],
  ['list-merchants-with-waiting-deposits', reasons.isAllDue],
  ['list-unanchored-audit-heads', reasons.isAllDue],
  ['list-unpaid-sandbox-sessions', reasons.isAllDue],
  ['save-attempt-factories', reasons.isAllDue],
  ['save-split-factories', reasons.isAllDue],
  ['count-set-aside', reasons.isSmall],
  ['drop-lapsed-leases', reasons.isSmall],
  ['end-leases-of', reasons.isSmall],
  ['find-newest-migration', reasons.isSmall],
  ['forget-leases', reasons.isSmall],
  ['forget-spool-applied', reasons.isSmall],
  ['list-brand-domains', reasons.isSmall],
  ['list-brands', reasons.isSmall],
  ['list-followed-chains', reasons.isSmall],
  ['list-held-leases', reasons.isSmall],
  ['list-leases', reasons.isSmall],
  ['list-set-aside', reasons.isSmall],
  ['make-room-for-sandbox-session', reasons.isSmall],
  ['release-brand-domains', reasons.isSmall],
  ['audit-list-deposits', reasons.isSeldom],
  ['count-audit-entries', reasons.isSeldom],
  ['list-merchants-with-old-events', reasons.isSeldom],
  ['list-newest-sealed-keys', reasons.isSeldom],
  ['list-unkeyed-audit-chains', reasons.isSeldom],
])
