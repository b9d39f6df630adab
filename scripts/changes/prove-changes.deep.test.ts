import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { repositoryRoot } from '../source/list-files.ts'
import { changes } from './all.ts'
import { type Outcome, proveChanges } from './prove-changes.ts'

const architecture = readFileSync(join(repositoryRoot, 'ARCHITECTURE.md'), 'utf8')
let outcome: Outcome

beforeAll(async () => {
  outcome = await proveChanges(changes)
}, 900_000)

test('the whole tree passes its checks with an example of every change in it', () =>
  expect(outcome.faults).toEqual([]))

describe.each(changes)('$task', ({ task, limit, edits, writes = [] }) => {
  test(`touches at most ${limit} files and is in the product then, not before`, () => {
    const proof = outcome.proofs.find((each) => each.task === task)
    expect(proof).toMatchObject({ before: false, after: true })
    expect(proof?.files.length).toBeLessThanOrEqual(limit)
  })

  test('has a row in ARCHITECTURE.md that names what is touched', () => {
    const row = architecture.split('\n').find((line) => line.startsWith(`| ${task} |`))
    for (const { file, as = file } of edits) expect(row).toContain(as)
    for (const { command } of writes) expect(row).toContain(command)
  })
})
