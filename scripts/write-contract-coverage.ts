import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findRowTests } from './coverage/find-tests.ts'
import { judgeCoverage } from './coverage/judge-coverage.ts'
import { sections } from './coverage/rows.ts'
import { writeDocument } from './coverage/write-document.ts'
import { type Fault, reportFaults } from './source/fault.ts'
import { listFiles, repositoryRoot } from './source/list-files.ts'
import { parseSource } from './source/parse-source.ts'

const document = 'docs/contract-coverage.md'

const help = `Usage: node scripts/write-contract-coverage.ts [--check]

Writes ${document} from the rows in scripts/coverage and the tests in apps/server/test/contract.
Fails if a row has
no test or more than one, or if a test names no row.

  --check  only check whether it is up to date`

if (process.argv.includes('--help')) {
  console.log(help)
} else {
  const found = listFiles(repositoryRoot, ['.test.ts'])
    .filter((path) => path.startsWith('apps/server/test/contract/'))
    .map((path) => findRowTests(parseSource(path, readFileSync(join(repositoryRoot, path), 'utf8'))))
  const tests = found.flatMap((each) => each.tests)
  const faults = [...found.flatMap((each) => each.faults), ...judgeCoverage(sections, tests)]
  const text = writeDocument(sections, tests)
  if (!process.argv.includes('--check')) writeFileSync(join(repositoryRoot, document), text)
  reportFaults(`coverage of ${tests.length} rows`, [...faults, ...judgeDocument(text)])
}

function judgeDocument(text: string): Fault[] {
  if (readIfThere(join(repositoryRoot, document)) === text) return []
  const message = 'differs; run node scripts/write-contract-coverage.ts'
  return [{ path: document, line: 1, rule: 'coverage', message }]
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
