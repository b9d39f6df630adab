import { expect, test } from 'vitest'
import { listDeclarations } from '../source/list-declarations.ts'
import { listFiles, repositoryRoot } from '../source/list-files.ts'
import { listSolidity } from '../source/list-solidity.ts'
import { mutations } from './all.ts'
import type { Sources } from './find-place.ts'
import { judgeMutations } from './judge-mutations.ts'
import type { Mutation } from './mutation.ts'
import { readSources } from './read-sources.ts'

const texts = new Map([
  ['a/one.ts', 'export function sum() {\n  return (\n    one + 1\n  )\n}\nconst limit = 2\nconst own = 1\n'],
  ['a/two.ts', 'const limit = 2\nconst twice = [2, 2]\n'],
  ['c/Box.sol', 'contract Box {\n  uint256 constant MOST = 5;\n  function put() external {}\n}\n'],
])
const declarations = [...texts].flatMap(([path, text]) =>
  path.endsWith('.sol') ? listSolidity(path, text) : listDeclarations(path, text),
)
const sources: Sources = { texts, declarations: Map.groupBy(declarations, ({ name }) => name) }

const testFiles = ['apps/server/test/contract/a.test.ts', 'contracts/test/fuzz/Box.t.sol']
const mutation: Mutation = { name: 'm', in: 'sum', find: 'one + 1', replace: 'one + 2', tests: ['a'] }
const judge = (...list: readonly Mutation[]) => [...judgeMutations(list, sources, testFiles).values()]

test('a text that its declaration has once is well, in whatever file, however it is broken into lines', () =>
  expect(judge(mutation, { ...mutation, name: 'n', find: 'return ( one + 1 )' })).toEqual([]))

test('a part of a contract is found by its full name, and its tests are those of forge', () => {
  expect(judge({ ...mutation, in: 'Box.MOST', find: '= 5', tests: ['fuzz/Box'] })).toEqual([])
  expect(judge({ ...mutation, in: 'Box.MOST', find: '= 5' })).toEqual(['there is no test a'])
})

test('a name that is gone, and a text that is gone or there twice, is said', () => {
  expect(judge({ ...mutation, in: 'gone' })).toEqual(['nothing is called gone'])
  expect(judge({ ...mutation, find: 'four' })).toEqual(['sum has its text 0 times: "four"'])
  expect(judge({ ...mutation, in: 'twice', find: '2' })).toEqual(['twice has its text 2 times: "2"'])
})

test('of two declarations with one name the one beside another is meant', () => {
  expect(judge({ ...mutation, in: 'limit', find: '2' })).toEqual(['limit has its text 2 times: "2"'])
  expect(judge({ ...mutation, in: 'limit', beside: 'own', find: '2' })).toEqual([])
  const besideSin = judge({ ...mutation, in: 'limit', beside: 'sin', find: '2' })
  expect(besideSin).toEqual(['nothing is called limit beside sin'])
})

test('a mutation changes something, names tests that are there, and stands in the list once', () => {
  expect(judge({ ...mutation, replace: mutation.find })).toEqual(['it changes nothing'])
  expect(judge({ ...mutation, tests: ['b'] })).toEqual(['there is no test b'])
  expect(judge({ ...mutation, tests: [] })).toEqual(['it names no tests'])
  expect(judge(mutation, mutation)).toEqual(['it stands in the list twice'])
})

test('every entry of the list breaks something that stands in the source, and names tests that exist', () => {
  const files = listFiles(repositoryRoot, ['.test.ts', '.t.sol'])
  expect([...judgeMutations(mutations, readSources(repositoryRoot), files)]).toEqual([])
})
