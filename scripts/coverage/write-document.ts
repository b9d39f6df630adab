import type { RowTest } from './find-tests.ts'
import type { Section } from './judge-coverage.ts'

const head = `# Contract coverage

Written by \`node scripts/write-contract-coverage.ts\`; \`npm run check\` says when it is out of date, when a row
has no test, and when a test names a row that is not there.

Every row of the contract's tables, every answer of its endpoints and every numbered rule, in words of our own,
with the test that sends a request and looks at status and value. The tests:
\`npx vitest run --project server apps/server/test/contract\`. That they would notice is proved by
\`npm run mutations\`, which breaks the server in many small ways and demands that one of them fails each time.
`

/** docs/contract-coverage.md for rows that all have their test. */
export function writeDocument(sections: readonly Section[], tests: readonly RowTest[]): string {
  const byId = new Map(tests.map((test) => [test.id, test]))
  const rowCount = sections.reduce((sum, { rows }) => sum + Object.keys(rows).length, 0)
  const parts = sections.map(({ title, rows }) => {
    const lines = Object.entries(rows).map(([id, says]) => {
      const test = byId.get(id)
      return `| \`${id}\` | ${cell(says)} | ${test ? `${cell(test.name)} ([${nameOf(test.path)}](../${test.path}))` : ''} |`
    })
    return `\n## ${title}\n\n| Row | The contract | Its test |\n|---|---|---|\n${lines.join('\n')}\n`
  })
  return `${head}\n${rowCount} rows, ${tests.length} tests.\n${parts.join('')}`
}

function nameOf(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.test\.ts$/, '')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}
