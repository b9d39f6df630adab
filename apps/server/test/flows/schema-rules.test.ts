import { expect, test } from 'vitest'
import { globalTables } from '../../src/platform/cluster/global-tables.ts'
import { isOnCluster } from '../support/database/on-cluster.ts'
import { makeTestDatabase } from '../support/database/test-database.ts'
import { perFile } from '../support/per-file.ts'

const database = perFile(makeTestDatabase)
const ask = (name: string, text: string) => database.pool.rows<Record<string, string>>({ name, text })
const isTenant = (table = '') => !globalTables.has(table) && table !== 'migration'

const ofTables = `FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'`

test('every tenant table has a merchant, with whom its primary key begins; the others are named', async () => {
  const tables = await ask(
    'list-tables',
    `SELECT c.relname AS table, (SELECT a.attname FROM pg_index i JOIN pg_attribute a
       ON a.attrelid = c.oid AND a.attnum = i.indkey[0] WHERE i.indrelid = c.oid AND i.indisprimary) AS first
     ${ofTables} WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition`,
  )
  expect(tables.length).toBeGreaterThan(40)
  expect(tables.filter(({ table, first }) => isTenant(table) && first !== 'merchant')).toEqual([])
  const names = tables.map(({ table }) => table)
  expect([...globalTables].filter((name) => !names.includes(name))).toEqual([])
})

test('every unique and every foreign key of a tenant table contains the merchant, at the same place on both sides', async () => {
  const unique = await ask(
    'list-unique-keys',
    `SELECT c.relname AS table, i.indexrelid::regclass::text AS key ${ofTables}
     JOIN pg_index i ON i.indrelid = c.oid AND i.indisunique
     WHERE NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'merchant'
       AND a.attnum = ANY (i.indkey::smallint[]))`,
  )
  const foreign = await ask(
    'list-foreign-keys',
    `SELECT c.relname AS table, k.conname AS key ${ofTables}
     JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'f'
     WHERE k.condeferrable OR k.confdeltype IN ('n', 'd') OR NOT EXISTS (
       SELECT FROM unnest(k.conkey, k.confkey) AS pair (own, other)
       JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = pair.own AND a.attname = 'merchant'
       JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = pair.other AND b.attname = 'merchant')`,
  )
  expect([...unique, ...foreign].filter(({ table }) => isTenant(table))).toEqual([])
})

test.skipIf(isOnCluster)(
  'there is no trigger, no serial, no int, and no default of time or chance',
  async () => {
    const found = await ask(
      'list-refused-forms',
      `SELECT c.relname AS table, t.tgname AS what ${ofTables}
       JOIN pg_trigger t ON t.tgrelid = c.oid AND NOT t.tgisinternal
     UNION ALL SELECT c.relname, a.attname ${ofTables} JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
       LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
       WHERE c.relkind IN ('r', 'p') AND NOT a.attisdropped AND (a.atttypid = 'int4'::regtype
         OR pg_get_expr(d.adbin, d.adrelid) ~* 'nextval|now\\(|random|clock_timestamp|current_')`,
    )
    expect(found.filter(({ table }) => table !== 'migration')).toEqual([])
  },
)

test('what a function does to rows of merchants says whose they are', async () => {
  const functions = await ask(
    'list-functions',
    `SELECT p.proname AS name, p.prosrc AS body FROM pg_proc p
     JOIN pg_namespace n ON n.oid = p.pronamespace AND n.nspname = 'public'
     WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`,
  )
  const tables = await ask(
    'list-table-names',
    `SELECT c.relname AS table ${ofTables} WHERE c.relkind IN ('r', 'p')`,
  )
  const touch = new RegExp(
    `\\b(FROM|INTO|UPDATE|JOIN)\\s+(${tables
      .map(({ table }) => table)
      .filter(isTenant)
      .join('|')})\\b`,
    'i',
  )
  const saysWhose = /\bINTO\s+\w+\s*\(\s*merchant\b|\bmerchant\s*=/i
  const errors = functions.flatMap(({ name, body }) =>
    (body ?? '')
      .replace(/--.*$/gm, '')
      .split(/;\s/)
      .filter((part) => touch.test(part) && !saysWhose.test(part))
      .map((part) => `${name}: ${part.trim()}`),
  )
  expect(errors).toEqual([])
})
