import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { globalTables } from '../apps/server/src/platform/cluster/global-tables.ts'
import { type CheckError, reportErrors } from './source/check-error.ts'
import { listFiles, repositoryRoot } from './source/list-files.ts'
import { isNode, lineAt, type Node, type Source, walk } from './source/parse-source.ts'
import { readServerSources, readStatements } from './sql/read-statements.ts'
import { validateStatements } from './sql/validate-statements.ts'

// Checks the statements in apps/server/src against docs/decisions/0002-postgresql-and-hand-written-sql.md,
// and the reading of rows against 0011-rows-by-name.md. A test checks the schema in the database.
const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8')

const sources = readServerSources()
const tenants = listFiles(repositoryRoot, ['.sql'])
  .filter((path) => path.startsWith('apps/server/migrations/'))
  .flatMap((path) => [...read(path).matchAll(/^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?"?(\w+)/gim)])
  .flatMap(([, name = '']) => (globalTables.has(name) ? [] : [name]))
reportErrors('sql', [
  ...validateStatements(readStatements(sources), tenants),
  ...sources.flatMap(evaluateAbsence),
])

/**
 * Finds comparisons with `null` in files whose statements have `reads` (rule `absence`). A row read by its
 * columns has `undefined` for SQL `NULL`, so `=== null` never matches, and the compiler does not object. The
 * loose comparison `== null` matches both and is allowed.
 */
function evaluateAbsence({ path, text, body }: Source): CheckError[] {
  const compared: Node[] = []
  let readsRows = false
  walk(body, (node) => {
    const [definition] = (node.arguments ?? []) as Node[]
    const isStatement = isNode(node.callee) && node.callee.name === 'statement'
    if (isStatement && definition?.type === 'ObjectExpression')
      readsRows ||= (definition.properties as Node[]).some(({ key }) => isNode(key) && key.name === 'reads')
    if (node.type !== 'BinaryExpression' || !['===', '!=='].includes(`${node.operator}`)) return
    if ([node.left, node.right].some((side) => isNode(side) && side.raw === 'null')) compared.push(node)
  })
  if (!readsRows) return []
  return compared.map(({ start, end }) => ({
    path,
    line: lineAt(text, start),
    rule: 'absence',
    message: `'${text.slice(start, end)}': what is NULL in the database is undefined in a row`,
  }))
}
