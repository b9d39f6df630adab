import pg from 'pg'
import { toPositions } from '../../apps/server/src/platform/database/statement.ts'
import type { FoundStatement } from '../sql/find-statements.ts'

/** How a statement fares on a cluster. */
export type Explained = {
  readonly name: string
  readonly place: string
  /** The most pieces that one part of it is sent out in; 0 where the coordinator does it alone. */
  readonly tasks: number
  /** What the database said where it cannot do it. */
  readonly fault?: string
  readonly plan: string
}

/** Faults of the values that were made up, and not of the statement. */
const isOfValues = (code: string, message: string) => /^(22|23)/.test(code) || /\bviolates\b/.test(message)
const merchant = '0x00000000000000000000000000000000000000a1'

/**
 * Explains and runs every statement on the cluster with values made up by their types, each in a transaction that is
 * rolled back.
 */
export async function explainStatements(
  url: string,
  statements: readonly FoundStatement[],
): Promise<Explained[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const explained: Explained[] = []
    for (const { name = '?', text, path, line, isMade } of statements) {
      if (text === undefined || /^\s*(LISTEN|LOCK|BEGIN|SET)\b/.test(text)) continue
      const place = `${path}:${line}`
      const sql = isMade ? toPositions(text).text : text
      explained.push({ name, place, ...(await explain(client, name, sql)) })
    }
    return explained
  } finally {
    await client.end()
  }
}

async function explain(client: pg.Client, name: string, sql: string) {
  const quoted = `"${name}"`
  try {
    await client.query(`PREPARE ${quoted} AS ${sql}`)
  } catch (error) {
    return { tasks: 0, plan: '', fault: (error as Error).message }
  }
  const { rows } = await client.query<{ types: string }>(
    'SELECT parameter_types::text AS types FROM pg_prepared_statements WHERE name = $1',
    [name],
  )
  const types = (rows[0]?.types ?? '{}').slice(1, -1).split(',').filter(Boolean)
  const values = types.map((type) => exampleOf(type.replaceAll('"', '')))
  const list = values.map((value) => `'${value}'`).join(', ')
  const execute = `EXECUTE ${quoted}${values.length > 0 ? ` (${list})` : ''}`
  const planned = await attempt(client, async () => {
    const plan = await client.query({ text: `EXPLAIN (COSTS OFF) ${execute}`, rowMode: 'array' })
    return plan.rows.map(([text]) => String(text)).join('\n')
  })
  const ran = await attempt(client, async () => {
    // From the sixth on, PostgreSQL may choose a plan for any values.
    for (let time = 0; time < 7; time++) {
      await client.query('SAVEPOINT before_it')
      await client.query({ name: `run-${name}`, text: sql, values })
      await client.query('ROLLBACK TO before_it')
    }
    return ''
  })
  await client.query(`DEALLOCATE ${quoted}`)
  const fault = planned.fault ?? ran.fault
  return { tasks: countTasks(planned.made), plan: planned.made, ...(fault !== undefined && { fault }) }
}

/** Does something in a transaction that is rolled back. */
async function attempt(
  client: pg.Client,
  work: () => Promise<string>,
): Promise<{ made: string; fault?: string }> {
  await client.query('BEGIN')
  try {
    return { made: await work() }
  } catch (error) {
    const { code = '', message, detail = '' } = error as pg.DatabaseError
    return {
      made: '',
      ...(!isOfValues(code, message) && { fault: [code, message, detail].join(' ').trim() }),
    }
  } finally {
    await client.query('ROLLBACK')
  }
}

/** The largest number of pieces in a plan of Citus. */
export function countTasks(plan: string): number {
  return Math.max(0, ...[...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count)))
}

/** A value that a parameter of a type takes. */
export function exampleOf(type: string): string {
  if (type.endsWith('[]')) return `{${quoteInside(exampleOf(type.slice(0, -2)))}}`
  if (type === 'text') return merchant
  if (type === 'jsonb' || type === 'json') return '{}'
  if (type === 'boolean') return 'true'
  if (type === 'bytea') return '\\x00'
  if (type.startsWith('timestamp')) return '2026-01-01T00:00:00Z'
  return '1'
}

function quoteInside(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
