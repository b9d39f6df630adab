import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type CheckError, reportErrors } from './source/check-error.ts'
import { listFiles, repositoryRoot } from './source/list-files.ts'

const document = 'docs/reference/contract-coverage.md'

const help = `Usage: node scripts/write-contract-coverage.ts [--check]

Writes into ${document}, whose first two columns are written by hand, the test of each row, from the tests in
apps/server/test/contract. Fails if a row has no test or more than one, or if a test names no row.

  --check  only check whether it is up to date`

type RowTest = { readonly id: string; readonly name: string; readonly path: string }

const text = `('(?:[^'\\\\]|\\\\.)*'|"[^"]*")`
const rowCall = new RegExp(`^[ \\t]*row\\(\\s*${text}\\s*,\\s*${text}`, 'gm')
const rowLine = /^\| `([^`]+)` \| (.*?) \| (\*\*inner door\*\*: )?.*\|$/gm

if (process.argv.includes('--help')) console.log(help)
else writeCoverage()

function writeCoverage(): void {
  const errors: CheckError[] = []
  const error = (path: string, message: string) =>
    void errors.push({ path, line: 1, rule: 'coverage', message })
  const tests = new Map<string, RowTest>()
  for (const test of listFiles(repositoryRoot, ['.test.ts']).flatMap(findRows)) {
    if (tests.has(test.id)) error(test.path, `${test.id} has a second test`)
    tests.set(test.id, test)
  }
  const known = new Set<string>()
  const old = readFileSync(join(repositoryRoot, document), 'utf8')
  const rows = old.replace(rowLine, (_, id: string, says: string, door = '') => {
    const test = tests.get(id)
    if (!test || known.has(id)) error(document, `${id} ${test ? 'stands there twice' : 'has no test'}`)
    known.add(id)
    return `| \`${id}\` | ${says} | ${door}${test ? describe(test) : ''} |`
  })
  for (const { id, path } of tests.values()) if (!known.has(id)) error(path, `${id} is no row of ${document}`)
  const counts = `${known.size} rows, ${tests.size} tests; ${rows.split('| **inner door**').length - 1} of them reach`
  const written = rows.replace(/^\d+ rows, \d+ tests; \d+ of them reach/m, counts)
  if (!process.argv.includes('--check')) writeFileSync(join(repositoryRoot, document), written)
  else if (written !== old) error(document, 'differs; run node scripts/write-contract-coverage.ts')
  reportErrors(`coverage of ${tests.size} rows`, errors)
}

/** Finds the calls of `row(id, name, check)` in a test file whose ID and name are string literals. */
function findRows(path: string): RowTest[] {
  if (!path.startsWith('apps/server/test/contract/')) return []
  const source = readFileSync(join(repositoryRoot, path), 'utf8')
  const found = [...source.matchAll(rowCall)]
  if (found.length !== source.match(/^[ \t]*row\(/gm)?.length)
    throw new Error(`${path}: the id and name of a row are plain texts`)
  const plain = (quoted = '') => quoted.slice(1, -1).replace(/\\(.)/g, '$1')
  return found.map(([, id, name]) => ({ id: plain(id), name: plain(name), path }))
}

function describe({ name, path }: RowTest): string {
  const cell = name.replaceAll('|', '\\|').replaceAll('<', '&lt;')
  return `${cell} ([${basename(path, '.test.ts')}](../../${path}))`
}
