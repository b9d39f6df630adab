import type pg from 'pg'

type Plan = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly Plan[]
}

/** Returns the tables and indexes matching `isLooked` that a statement reads completely. */
export async function readsWhole(
  client: pg.Client,
  text: string,
  isLooked: (name: string) => boolean = () => true,
): Promise<string[]> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `EXPLAIN (FORMAT JSON, GENERIC_PLAN) ${text}`,
  )
  return rows.flatMap((row) => wholeParts(row['QUERY PLAN'][0].Plan, isLooked))
}

function wholeParts(plan: Plan, isLooked: (name: string) => boolean): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index = '' } = plan
  const inside = (plan.Plans ?? []).flatMap((each) => wholeParts(each, isLooked))
  if (type === 'Seq Scan' && isLooked(table)) return [`the table ${table}`, ...inside]
  const isByIndex = /^(Index|Bitmap Index)/.test(type)
  const isWhole = isByIndex && plan['Index Cond'] === undefined && isLooked(index)
  return isWhole ? [`the index ${index}`, ...inside] : inside
}

type Reason = (typeof reasons)[keyof typeof reasons]

const reasons = {
  isAllDue: 'the index has only rows that are due or in progress, and the statement needs all of them',
  isSmall: 'the table stays small',
  isSeldom: 'it runs at a start, once a day, or for an operator',
} as const

/** Statements that read a complete table or index, each with the reason why this is harmless. */
export const wholeReads: ReadonlyMap<string, Reason> = new Map([
  ['count-pending-messages', reasons.isAllDue],
  ['count-unnumbered-events', reasons.isAllDue],
  ['list-merchants-with-due-messages', reasons.isAllDue],
  ['list-merchants-with-unswept-deposits', reasons.isAllDue],
  ['list-unanchored-audit-heads', reasons.isAllDue],
  ['list-unpaid-sandbox-sessions', reasons.isAllDue],
  ['count-deferred', reasons.isSmall],
  ['end-leases-of', reasons.isSmall],
  ['find-newest-migration', reasons.isSmall],
  ['forget-leases', reasons.isSmall],
  ['prune-journal-applied', reasons.isSmall],
  ['list-brand-domains', reasons.isSmall],
  ['list-brands', reasons.isSmall],
  ['list-followed-chains', reasons.isSmall],
  ['list-held-leases', reasons.isSmall],
  ['list-deferred', reasons.isSmall],
  ['make-room-for-sandbox-session', reasons.isSmall],
  ['release-brand-domains', reasons.isSmall],
  ['count-audit-entries', reasons.isSeldom],
  ['list-merchants-with-old-events', reasons.isSeldom],
  ['list-newest-encrypted-keys', reasons.isSeldom],
])
