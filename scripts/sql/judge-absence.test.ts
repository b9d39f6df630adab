import { expect, test } from 'vitest'
import { parseSource } from '../source/parse-source.ts'
import { judgeAbsence } from './judge-absence.ts'

const path = 'apps/server/src/receipts/store.ts'
const judge = (code: string) => judgeAbsence(parseSource(path, code))

const reading =
  "const find = statement({ name: 'find-memo', text: 'SELECT memo FROM t', reads: { memo: text() } })"
const silent = "const drop = statement({ name: 'drop-memo', text: 'DELETE FROM t' })"

test.each([
  'row.memo === null',
  'row?.memo !== null',
  'null === row.memo',
  'rows.filter(({ memo }) => memo !== null)',
])('a value of a row compared with null is refused: %s', (comparison) => {
  const faults = judge(`${reading}\nexport const found = ${comparison}`)
  expect(faults).toMatchObject([{ path, line: 2, rule: 'absence' }])
})

test.each([
  `${reading}; export const found = row.memo === undefined`,
  `${reading}; export const found = row?.memo == null`,
  `${reading}; export const values = { memo: memo ?? null }`,
  `${silent}; export const found = answer.memo === null`,
])('this is as it should be: %s', (code) => expect(judge(code)).toEqual([]))
