import { stripVTControlCharacters } from 'node:util'

/** As much of what a test failed with as is told: the message and where, and the rest is further up. */
const longestMessage = 30
const mostFailures = 20

/** The parts that we read of the report that vitest's `json` reporter writes. */
type Report = {
  readonly testResults?: readonly {
    readonly name: string
    readonly status: string
    readonly message?: string
    readonly assertionResults?: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages?: readonly string[]
    }[]
  }[]
}

/**
 * What failed in a run, each with its file, its name and the beginning of what it failed with.
 *
 * For the end of a long output, of which often no more is kept: whoever reads it there finds the cause without the rest.
 *
 * @param report - Vitest's report, where it wrote one.
 * @param output - What the run printed: its end is told where the report names nothing.
 */
export function tellFailures(report: string | undefined, output: string): readonly string[] {
  const told: string[] = []
  const { testResults = [] }: Report = report ? JSON.parse(report) : {}
  for (const file of testResults) {
    const failed = (file.assertionResults ?? []).filter(({ status }) => status === 'failed')
    for (const { fullName, failureMessages = [] } of failed)
      told.push(`${file.name}\n  ${fullName}\n${indent(failureMessages.join('\n'))}`)
    if (failed.length === 0 && file.status === 'failed')
      told.push(`${file.name}\n${indent(file.message ?? '')}`)
  }
  if (told.length === 0) return [`no test is named; the output ended with\n${indent(lastLines(output))}`]
  const more = told.length - mostFailures
  return more > 0 ? [...told.slice(0, mostFailures), `and ${more} more`] : told
}

function indent(message: string): string {
  const lines = stripVTControlCharacters(message).trimEnd().split('\n')
  const kept = lines.slice(0, longestMessage)
  if (kept.length < lines.length) kept.push(`… and ${lines.length - kept.length} more lines`)
  return kept.map((line) => `    ${line}`.trimEnd()).join('\n')
}

function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-longestMessage).join('\n')
}
