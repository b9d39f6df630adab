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
      return `| \`${id}\` | ${cell(says)} | ${test ? describeTest(test) : ''} |`
    })
    return `\n## ${title}\n\n| Row | The contract | Its test |\n|---|---|---|\n${lines.join('\n')}\n`
  })
  return `${head}\n${writeCounts(rowCount, tests)}\n${parts.join('')}`
}

function writeCounts(rowCount: number, tests: readonly RowTest[]): string {
  const waiting = tests.filter(({ waitsFor }) => waitsFor !== undefined)
  const inner = tests.filter((test) => isInnerOnly(test))
  const whole = tests.length - waiting.length - inner.length
  const reasons = [...new Set(waiting.map(({ waitsFor }) => waitsFor))].map((reason) => {
    const count = waiting.filter(({ waitsFor }) => waitsFor === reason).length
    return `${count} for ${reason}`
  })
  return `${rowCount} rows, ${tests.length} tests:

- ${whole} hold their sentence over HTTP, and over the chain where it is about the chain.
- ${inner.length} reach what they look at **through an inner door** of the test: it moves a status by hand, or reads or
  writes the database behind the API. They hold their sentence from that door on, not the way to it. Merchants, keys
  and a split that is taken for deployed are set up by such means everywhere, and are not counted.
- ${waiting.length} **wait** for a part that is not built, and are not fulfilled${reasons.length > 0 ? `: ${reasons.join('; ')}` : ''}.
  Their test holds what is there so far.
`
}

function isInnerOnly({ isInner, waitsFor }: RowTest): boolean {
  return isInner && waitsFor === undefined
}

function describeTest(test: RowTest): string {
  const link = `([${nameOf(test.path)}](../${test.path}))`
  if (test.waitsFor !== undefined)
    return `**waits** for ${cell(test.waitsFor)}; so far: ${cell(test.name)} ${link}`
  return `${isInnerOnly(test) ? '**inner door**: ' : ''}${cell(test.name)} ${link}`
}

function nameOf(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.test\.ts$/, '')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}
