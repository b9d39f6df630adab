import type pg from 'pg'

/** A plan as `EXPLAIN (FORMAT JSON)` gives it, as far as it is looked at. */
type Plan = {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly Plan[]
}

/**
 * What a statement reads from end to end, whatever its values: tables for which `isLooked`, and indexes, which it does
 * not enter at a value.
 */
export async function readsWhole(
  client: pg.Client,
  text: string,
  isLooked: (table: string) => boolean = () => true,
): Promise<string[]> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `EXPLAIN (FORMAT JSON, GENERIC_PLAN) ${text}`,
  )
  return rows.flatMap((row) => wholeParts(row['QUERY PLAN'][0].Plan, isLooked))
}

function wholeParts(plan: Plan, isLooked: (table: string) => boolean): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index = '' } = plan
  const inside = (plan.Plans ?? []).flatMap((each) => wholeParts(each, isLooked))
  if (type === 'Seq Scan' && isLooked(table)) return [`the table ${table}`, ...inside]
  const isByIndex = /^(Index|Bitmap Index)/.test(type)
  return isByIndex && plan['Index Cond'] === undefined ? [`the index ${index}`, ...inside] : inside
}
