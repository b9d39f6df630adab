import { expect, test } from 'vitest'
import { judgeMutations } from './judge-mutations.ts'

const files: Record<string, string> = {
  'a.ts': 'const one = 1\nconst two = 2\nconst three = 2\n',
  'apps/server/test/contract/a.test.ts': '',
}
const mutation = { name: 'm', file: 'a.ts', find: 'one = 1', replace: 'one = 2', tests: ['a'] }
const judge = (...list: (typeof mutation)[]) =>
  judgeMutations(list, (path) => files[path]).map(({ rule }) => rule)

test('a text that is there once is well', () => {
  expect(judge(mutation)).toEqual([])
})

test('a text that is gone, or there twice, or in no file, is rotten', () => {
  expect(judge({ ...mutation, find: 'four' })).toEqual(['rotten'])
  expect(judge({ ...mutation, find: ' = 2' })).toEqual(['rotten'])
  expect(judge({ ...mutation, file: 'b.ts' })).toEqual(['rotten'])
})

test('a mutation changes something, names tests that are there, and stands in the list once', () => {
  expect(judge({ ...mutation, replace: mutation.find })).toEqual(['idle'])
  expect(judge({ ...mutation, tests: ['b'] })).toEqual(['untested'])
  expect(judge({ ...mutation, tests: [] })).toEqual(['untested'])
  expect(judge(mutation, mutation)).toEqual(['twice'])
})
