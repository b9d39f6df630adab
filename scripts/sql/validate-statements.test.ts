import { expect, test } from 'vitest'
import { parseSource } from '../source/parse-source.ts'
import { findStatements } from './find-statements.ts'
import { validateStatements } from './validate-statements.ts'

/** Modules that the test sources import. */
const modules: Record<string, Record<string, unknown>> = {
  './thing-table.ts': { things: { names: 'merchant, id' }, columnsOf: (it: { names: string }) => it.names },
  './run.ts': { namesOf: () => 'merchant, id' },
}

const rulesOf = (code: string, path = 'apps/server/src/receipts/store.ts') =>
  validateStatements(
    findStatements(parseSource(path, code), (specifier) => modules[specifier] ?? {}),
    ['merchant', 'receipt', 'outbox_message'],
  ).map(({ rule }) => rule)

const statement = (text: string, name = 'find-receipt') =>
  `const s = statement({ name: '${name}', text: \`${text}\` })`

test.each([
  statement('SELECT * FROM receipt WHERE merchant = :merchant AND id = :id'),
  statement('INSERT INTO receipt (merchant, id) VALUES (:merchant, :id)'),
  statement('SELECT hash FROM chain_block WHERE number = :number'),
  statement('SELECT id FROM outbox_message WHERE merchant = ANY(:merchants)'),
  statement("SELECT id FROM receipt WHERE merchant = 'platform'"),
  statement('SELECT merchant FROM merchant', 'list-merchants'),
  statement("SELECT CASE\n WHEN state = 'a' THEN 1 END FROM receipt WHERE merchant = :merchant"),
  statement("SELECT 'now()' AS text FROM merchant WHERE merchant = :merchant"),
  "const link = { name: 'Help Page', text: 'Read more' }",
])('this is as it should be: %s', (code) => expect(rulesOf(code)).toEqual([]))

test.each([
  ['name', statement('SELECT 1', 'findReceipt')],
  ['name', `${statement('SELECT 1')}; const t = { name: 'find-receipt', text: 'SELECT 2' }`],
  ['impure', statement('UPDATE receipt SET at = now() WHERE merchant = :merchant')],
  ['impure', statement('SELECT clock_timestamp()')],
  ['merchant', statement('SELECT * FROM receipt WHERE id = :id')],
  ['merchant', statement('DELETE FROM outbox_message WHERE id = :id')],
  ['merchant', statement('SELECT name FROM merchant')],
  ['shard', statement('SELECT merchant, id FROM outbox_message WHERE lane = ANY(:lanes)')],
  ['shard', statement('SELECT h.merchant FROM key_hash h JOIN receipt r ON r.merchant = h.merchant')],
  ['shard', statement('SELECT id FROM outbox_message WHERE merchant = :merchant', 'list-merchants')],
  [
    'simple-case',
    statement("SELECT CASE state WHEN 'a' THEN :n END FROM receipt WHERE merchant = :merchant"),
  ],
  ['subscript', statement('UPDATE outbox_message AS n SET id = ids[2] WHERE merchant = :merchant')],
  ['positions', "const s = { name: 'find-lease', text: 'SELECT 1 FROM lease WHERE name = $1' }"],
  ['unread', 'const s = statement(definition)'],
  ['unread', "import { namesOf } from './run.ts'; " + statement(`SELECT ${'$'}{namesOf()} FROM receipt`)],
  ['unread', `function make(a) {}; ${statement(`SELECT ${'$'}{a} FROM receipt`)}`],
])('%s is refused: %s', (rule, code) => expect(rulesOf(code)[0]).toBe(rule))

test('leases alone may use the time of the database', () =>
  expect(rulesOf(statement('SELECT clock_timestamp()'), 'apps/server/src/platform/jobs/lease.ts')).toEqual(
    [],
  ))

test('SQL put together by constants, and by what says how things are stored, is read as it runs', () => {
  const code = `
    import { columnsOf, things } from './thing-table.ts'
    const own = (more) => \`SELECT \${columnsOf(things)} FROM receipt WHERE \${more}\`
    const find = statement({ name: 'find-receipt', text: own('id = :id') + ' LIMIT 1' })`
  const load = (specifier: string) => modules[specifier] ?? {}
  const [found] = findStatements(parseSource('apps/server/src/receipts/store.ts', code), load)
  expect(found?.text).toBe('SELECT merchant, id FROM receipt WHERE id = :id LIMIT 1')
})
