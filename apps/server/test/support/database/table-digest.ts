import type { Database } from '../../../src/platform/database/database.ts'

/** Tables that jobs or any request may change. */
const restless = [
  'chain_block',
  'chain_cursor',
  'chain_head',
  'idempotency',
  'lease',
  'login_challenge',
  'rate_bucket',
  'request_log',
]

const touched = ['last_used_at', 'last_seen_at', 'token_at']

export type Digest = ReadonlyMap<string, string>

/**
 * Returns the digests of the tables that only valid writes change. With `merchant`, only this merchant's rows
 * count.
 */
export async function digestTables(db: Database, merchant?: string): Promise<Digest> {
  const tables = await db.rows<{ name: string; hasMerchant: boolean }>(listTables, [restless])
  const asked = tables.filter(({ hasMerchant }) => merchant === undefined || hasMerchant)
  const text = asked
    .map(({ name }) => {
      const where = merchant === undefined ? '' : 'WHERE merchant = $2'
      return `SELECT '${name}' AS name, count(*) || ':' || coalesce(md5(string_agg(line, E'\\n' ORDER BY line)), '') AS digest
        FROM (SELECT (to_jsonb(it) - $1::text[])::text AS line FROM ${name} it ${where}) lines`
    })
    .join('\nUNION ALL ')
  const values = merchant === undefined ? [touched] : [touched, merchant]
  const rows = await db.rows<{ name: string; digest: string }>({ name: '', text }, values)
  return new Map(rows.map((row) => [row.name, row.digest]))
}

const listTables = {
  name: 'test-list-tables',
  text: `SELECT t.table_name AS name, EXISTS (SELECT 1 FROM information_schema.columns c
      WHERE c.table_schema = 'public' AND c.table_name = t.table_name AND c.column_name = 'merchant') AS "hasMerchant"
    FROM information_schema.tables t
    WHERE t.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND NOT t.table_name = ANY ($1)
    ORDER BY t.table_name`,
}
