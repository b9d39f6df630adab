import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { reportFaults } from './source/fault.ts'
import { listFiles, repositoryRoot } from './source/list-files.ts'
import { judgeAbsence } from './sql/judge-absence.ts'
import { judgeSchema, tenantTables } from './sql/judge-schema.ts'
import { judgeStatements } from './sql/judge-statements.ts'
import { readServerSources, readStatements } from './sql/read-statements.ts'

const help = `Usage: node scripts/check-sql.ts [--print]

Checks the schema in apps/server/migrations and the statements in apps/server/src against the rules of docs/decisions/0002-postgresql-and-hand-written-sql.md, and how rows are read against those of 0011-rows-by-name.md.

  --print  print the name and place of every statement`

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8')

if (process.argv.includes('--help')) {
  console.log(help)
} else {
  const migrations = listFiles(repositoryRoot, ['.sql'])
    .filter((path) => path.startsWith('apps/server/migrations/'))
    .map((path) => ({ path, text: read(path) }))
  const sources = readServerSources()
  const statements = readStatements(sources)
  if (process.argv.includes('--print'))
    for (const { name = '?', path, line } of statements) console.log(`${name.padEnd(40)} ${path}:${line}`)
  reportFaults('sql', [
    ...judgeSchema(migrations),
    ...judgeStatements(statements, tenantTables(migrations)),
    ...sources.flatMap(judgeAbsence),
  ])
}
