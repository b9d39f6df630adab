import { expect, test } from 'vitest'
import { parseSource } from '../source/parse-source.ts'
import { findStatements } from './find-statements.ts'
import { judgeStatements } from './judge-statements.ts'

const tenants = ['merchant', 'receipt', 'notice']

function judge(code: string, path = 'apps/server/src/receipts/store.ts') {
  return judgeStatements(findStatements(parseSource(path, code)), tenants)
}

const statement = (text: string, name = 'find-receipt') => `const s = { name: '${name}', text: \`${text}\` }`

test.each([
  statement('SELECT * FROM receipt WHERE merchant = $1 AND id = $2'),
  statement('INSERT INTO receipt (merchant, id) VALUES ($1, $2)'),
  statement('SELECT merchant FROM api_key_hash WHERE hash = $1'),
  statement('SELECT hash FROM chain_block WHERE number = $1'),
  statement('SELECT id FROM receipt WHERE merchant = $1 FOR UPDATE'),
  statement('UPDATE notice SET lane = $1 WHERE lane = ANY($2) RETURNING merchant, id'),
  statement("SELECT 'now()' AS text FROM merchant WHERE merchant = $1"),
  "const link = { name: 'Help Page', text: 'Read more' }",
])('this is as it should be: %s', (code) => {
  expect(judge(code)).toEqual([])
})

test.each([
  ['name', statement('SELECT 1', 'findReceipt')],
  ['name', statement('SELECT 1', 'Find-receipt')],
  ['impure', statement('UPDATE receipt SET at = now() WHERE merchant = $1')],
  ['impure', statement('INSERT INTO receipt (merchant, id) VALUES ($1, gen_random_uuid())')],
  ['impure', statement('SELECT random()')],
  ['impure', statement('SELECT current_timestamp')],
  ['impure', statement('SELECT clock_timestamp()')],
  ['merchant', statement('SELECT * FROM receipt WHERE id = $1')],
  ['merchant', statement('DELETE FROM notice WHERE id = $1')],
  ['merchant', statement('SELECT name FROM merchant')],
  ['lock', statement('SELECT merchant, id FROM notice FOR UPDATE SKIP LOCKED')],
])('%s is refused: %s', (rule, code) => {
  expect(judge(code)[0]?.rule).toBe(rule)
})

test('two statements of one name are refused, in whichever files they stand', () => {
  const faults = judge(`${statement('SELECT 1')}; const t = { name: 'find-receipt', text: 'SELECT 2' }`)
  expect(faults.map(({ rule }) => rule)).toEqual(['name'])
})

test('leases alone may use the time of the database', () => {
  expect(judge(statement('SELECT clock_timestamp()'), 'apps/server/src/platform/jobs/lease.ts')).toEqual([])
})

test('SQL put together from constants of the file is read whole', () => {
  const code = `
    const columns = 'id, total'
    const where = \`WHERE merchant = $1\`
    const find = { name: 'find-receipt', text: \`SELECT \${columns} FROM receipt \${where} AND id = $2\` }
    const list = { name: 'list-receipts', text: 'SELECT id ' + 'FROM receipt' } as const`
  const statements = findStatements(parseSource('apps/server/src/receipts/store.ts', code))
  expect(statements.map(({ text }) => text)).toEqual([
    'SELECT id, total FROM receipt WHERE merchant = $1 AND id = $2',
    'SELECT id FROM receipt',
  ])
  expect(judge(code).map(({ rule }) => rule)).toEqual(['merchant'])
})
