import { expect, test } from 'vitest'
import { parseSource } from '../source/parse-source.ts'
import { findStatements } from './find-statements.ts'
import { judgeStatements } from './judge-statements.ts'

/** Modules that the code of the tests imports. */
const load = (specifier: string) => modules[specifier] ?? {}

const modules: Record<string, Record<string, unknown>> = {
  './thing-table.ts': {
    things: { names: 'merchant, id' },
    columnsOf: (table: { names: string }) => table.names,
    valuesOf: () => '(merchant, id) VALUES (:merchant, :id)',
  },
  './run.ts': { things: { names: 'merchant, id' }, namesOf: () => 'merchant, id' },
}

const tenants = ['merchant', 'receipt', 'notice']

function judge(code: string, path = 'apps/server/src/receipts/store.ts') {
  return judgeStatements(findStatements(parseSource(path, code), load), tenants)
}

const statement = (text: string, name = 'find-receipt') =>
  `const s = statement({ name: '${name}', text: \`${text}\` })`

test.each([
  statement('SELECT * FROM receipt WHERE merchant = :merchant AND id = :id'),
  statement('INSERT INTO receipt (merchant, id) VALUES (:merchant, :id)'),
  statement('SELECT merchant FROM api_key_hash WHERE hash = :hash'),
  statement('SELECT hash FROM chain_block WHERE number = :number'),
  statement('SELECT id FROM receipt WHERE merchant = :merchant FOR UPDATE'),
  statement('UPDATE notice SET lane = :lane WHERE merchant = ANY(:merchants)', 'claim-notices'),
  statement('UPDATE notice SET lane = :lane WHERE merchant = :merchant AND id = ANY(:ids)'),
  statement('SELECT id FROM notice WHERE merchant = ANY(:merchants)'),
  statement("SELECT id FROM receipt WHERE merchant = 'platform'"),
  statement('SELECT DISTINCT merchant FROM receipt_tally_change', 'list-merchants-to-fold'),
  statement("SELECT CASE state WHEN 'a' THEN 1 END FROM receipt WHERE merchant = :merchant"),
  statement("SELECT CASE\n WHEN state = 'a' THEN 1 END FROM receipt WHERE merchant = :merchant"),
  statement(`INSERT INTO receipt (merchant, id, n) VALUES (:merchant, :id, :n) ON CONFLICT (merchant, id)
    DO UPDATE SET n = :n WHERE receipt.n < excluded.n RETURNING id`),
  statement(`WITH made AS (INSERT INTO receipt (merchant, id) VALUES (:merchant, :id) RETURNING id),
    told AS (INSERT INTO notice (merchant, id) SELECT :merchant, id FROM unnest(:ids) AS id) SELECT id FROM made`),
  statement(`WITH made AS (INSERT INTO receipt (merchant, id) VALUES (:merchant, :id))
    INSERT INTO notice (merchant, id) VALUES (:merchant, :id)`),
  statement(
    'UPDATE notice SET ids = ARRAY[:id]::text[] WHERE merchant = :merchant AND id = (:ids::text[])[1]',
  ),
  statement(`SELECT id FROM unnest(:of::text[]) AS asked (whose), LATERAL (SELECT id FROM notice
    WHERE merchant = :merchant AND subject = whose ORDER BY id LIMIT 4) AS own`),
  statement("SELECT 'now()' AS text FROM merchant WHERE merchant = :merchant"),
  "const link = { name: 'Help Page', text: 'Read more' }",
])('this is as it should be: %s', (code) => expect(judge(code)).toEqual([]))

test.each([
  ['name', statement('SELECT 1', 'findReceipt')],
  ['name', statement('SELECT 1', 'Find-receipt')],
  ['many', statement('UPDATE notice SET lane = :lane WHERE merchant = ANY(:merchants)')],
  ['many', statement('DELETE FROM notice AS n WHERE n.merchant = ANY(:merchants::text[])')],
  ['many', statement('UPDATE notice SET lane = 1 WHERE merchant = :merchant', 'claim-notices')],
  ['impure', statement('UPDATE receipt SET at = now() WHERE merchant = :merchant')],
  ['impure', statement('INSERT INTO receipt (merchant, id) VALUES (:merchant, gen_random_uuid())')],
  [
    'sends-to-all',
    statement(`WITH made AS (INSERT INTO receipt (merchant, id) VALUES (:merchant, :id) RETURNING id),
    told AS (INSERT INTO notice (merchant, id) SELECT :merchant, id FROM made) SELECT id FROM made`),
  ],
  [
    'sends-to-all',
    statement("UPDATE notice SET id = 'a' WHERE merchant = :merchant", 'fold-receipt-tallies'),
  ],
  ['impure', statement('SELECT random()')],
  ['impure', statement('SELECT current_timestamp')],
  ['impure', statement('SELECT clock_timestamp()')],
  ['merchant', statement('SELECT * FROM receipt WHERE id = :id')],
  ['merchant', statement('DELETE FROM notice WHERE id = :id')],
  ['merchant', statement('SELECT name FROM merchant')],
  ['shard', statement('SELECT merchant, id FROM notice WHERE lane = ANY(:lanes)')],
  [
    'shard',
    statement(
      'SELECT h.merchant FROM key_hash h JOIN receipt r ON r.merchant = h.merchant WHERE h.hash = :hash',
    ),
  ],
  ['shard', statement('SELECT id FROM notice WHERE merchant = :merchant', 'list-merchants')],
  [
    'in-turn',
    statement(`SELECT id FROM unnest(:of::text[]) AS asked (whose), LATERAL (SELECT id FROM notice
      WHERE merchant = whose AND merchant = ANY(:of) ORDER BY id LIMIT 4) AS own`),
  ],
  ['in-turn', statement('SELECT id FROM notice WHERE merchant = ANY(:of)', 'list-due-notices')],
  [
    'simple-case',
    statement("SELECT CASE state WHEN 'a' THEN :n END FROM receipt WHERE merchant = :merchant"),
  ],
  [
    'conflict-parameter',
    statement(`INSERT INTO receipt (merchant, id) VALUES (:merchant, :id) ON CONFLICT (merchant, id)
      DO UPDATE SET id = excluded.id WHERE receipt.merchant = :merchant`),
  ],
  [
    'ends-in-insert',
    statement(`WITH made AS (INSERT INTO receipt (merchant, id) VALUES (:merchant, :id) RETURNING id)
      INSERT INTO notice (merchant, id) SELECT :merchant, id FROM made`),
  ],
  ['subscript', statement('UPDATE notice SET id = (:ids::text[])[n] WHERE merchant = :merchant')],
  ['subscript', statement('UPDATE notice AS n SET id = ids[2] WHERE merchant = :merchant')],
  [
    'subscript',
    statement(`WITH told AS (UPDATE notice SET id = (ARRAY['a', 'b'])[1 + n] WHERE merchant = :merchant RETURNING id)
      SELECT id FROM told`),
  ],
])('%s is refused: %s', (rule, code) => expect(judge(code)[0]?.rule).toBe(rule))

test('rows of more than one merchant are not locked', () => {
  const faults = judge(statement('SELECT merchant, id FROM notice FOR UPDATE SKIP LOCKED'))
  expect(faults.map(({ rule }) => rule)).toEqual(['shard', 'lock'])
})

test('two statements of one name are refused, in whichever files they stand', () => {
  const faults = judge(`${statement('SELECT 1')}; const t = { name: 'find-receipt', text: 'SELECT 2' }`)
  expect(faults.map(({ rule }) => rule)).toEqual(['name'])
})

test('leases alone may use the time of the database', () =>
  expect(judge(statement('SELECT clock_timestamp()'), 'apps/server/src/platform/jobs/lease.ts')).toEqual([]))

test('SQL put together from constants of the file is read whole', () => {
  const code = `
    const columns = 'id, total'
    const where = \`WHERE merchant = :merchant\`
    const find = { name: 'find-receipt', text: \`SELECT \${columns} FROM receipt \${where} AND id = :id\` }
    const list = { name: 'list-receipts', text: 'SELECT id ' + 'FROM receipt' } as const`
  const statements = findStatements(parseSource('apps/server/src/receipts/store.ts', code), load)
  expect(statements.map(({ text }) => text)).toEqual([
    'SELECT id, total FROM receipt WHERE merchant = :merchant AND id = :id',
    'SELECT id FROM receipt',
  ])
  expect(judge(code).map(({ rule }) => rule)).toEqual(['merchant', 'shard'])
})

test('SQL put together by what says how things are stored is read as it runs', () => {
  const code = `
    import { columnsOf, things, valuesOf } from './thing-table.ts'
    const own = (more) => \`SELECT \${columnsOf(things)} FROM receipt WHERE \${more}\`
    const find = statement({ name: 'find-receipt', text: own('id = :id') })
    const insert = statement({ name: 'insert-receipt', text: \`INSERT INTO receipt \${valuesOf(things)}\` })`
  const statements = findStatements(parseSource('apps/server/src/receipts/store.ts', code), load)
  expect(statements.map(({ text }) => text)).toEqual([
    'SELECT merchant, id FROM receipt WHERE id = :id',
    'INSERT INTO receipt (merchant, id) VALUES (:merchant, :id)',
  ])
})

test.each([
  ['another file runs for it', "import { namesOf } from './run.ts'; const a = namesOf()"],
  ['it comes from a package', "import { a } from 'thing'"],
  ['it is made at run time', 'const a = process.argv[2]'],
  ['it is what a function is given', 'function make(a) {}'],
])('a statement is refused whose text cannot be told, since %s', (_, code) => {
  const made = `${code}; const s = statement({ name: 'find-receipt', text: \`SELECT \${a} FROM receipt\` })`
  expect(judge(made).map(({ rule }) => rule)).toEqual(['unread'])
})

test.each([
  'const s = statement(definition)',
  "const s = statement({ name: nameOf('x'), text: 'SELECT 1' })",
  "const s = statement({ ...shared, name: 'find-receipt' })",
])('a statement is refused that is not written down where it is made: %s', (code) =>
  expect(judge(code).map(({ rule }) => rule)).toEqual(['unread']))

test('a statement with positions is refused: its values have names', () => {
  expect(
    judge("const s = { name: 'find-lease', text: 'SELECT 1 FROM lease WHERE name = $1' }")[0]?.rule,
  ).toBe('positions')
})
