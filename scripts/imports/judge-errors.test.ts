import { expect, test } from 'vitest'
import { parseSource } from '../source/parse-source.ts'
import { judgeErrors } from './judge-errors.ts'

const server = 'apps/server/src'
const judge = (files: Readonly<Record<string, string>>) =>
  judgeErrors(Object.entries(files).map(([path, text]) => parseSource(`${server}/${path}`, text)))

const refusing = "import { Refusal } from '../kernel/refusal.ts'; export const x = new Refusal()"

test('a job reaches no refusal, however far away', () => {
  const faults = judge({
    'app/jobs.ts': "import { a } from '../receipts/a.ts'; export const jobs = [a]",
    'receipts/a.ts': "import { b } from './b.ts'; export const a = b",
    'receipts/b.ts': refusing,
  })
  expect(faults).toMatchObject([{ path: `${server}/receipts/b.ts`, line: 1, rule: 'refusal' }])
  expect(faults[0]?.message).toContain('app/jobs.ts → receipts/a.ts → receipts/b.ts')
})

test.each(['platform/spool.ts', 'chain/rpc.ts', 'audit/audit-money.ts'])('%s knows no refusal', (path) =>
  expect(judge({ [path]: refusing })).toMatchObject([{ rule: 'refusal' }]))

test('what only routes reach may refuse, and a type alone reaches nothing', () => {
  const faults = judge({
    'app/jobs.ts': "import type { B } from '../receipts/b.ts'; export const jobs: B[] = []",
    'receipts/b.ts': refusing,
    'receipts/b.test.ts': refusing,
  })
  expect(faults).toEqual([])
})
