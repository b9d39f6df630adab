import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listFiles, repositoryRoot } from '../source/list-files.ts'
import { type CachedQuery, canBeOne, findQueries } from './find-queries.ts'

const root = join(repositoryRoot, 'apps/dashboard/src')

/** Two queries that may have one key and differ in what they keep under it. */
function clashesOf(queries: readonly CachedQuery[]): string[] {
  return queries.flatMap((one, i) =>
    queries
      .slice(i + 1)
      .filter((other) => canBeOne(one.key, other.key) && one.content !== other.content)
      .map((other) => `${one.file} and ${other.file}: ${one.key.map((part) => part ?? '…').join(', ')}`),
  )
}

test('no two screens of the web app keep different things under one key', () => {
  const files = listFiles(root, ['.ts', '.tsx']).filter((file) => !/\.test\.|schema\.d\.ts$/.test(file))
  const queries = files.flatMap((file) => findQueries(file, readFileSync(join(root, file), 'utf8')))
  expect(queries.length).toBeGreaterThan(45)
  expect(clashesOf(queries)).toEqual([])
})

test.each([
  ["useQuery({ queryKey: ['a', id], queryFn: () => api.GET('/api/a') })", 1],
  ["useInfiniteQuery({ queryKey: ['a', 'b'], queryFn: () => api.GET('/api/b') })", 1],
  ["useQuery({ queryKey: ['a', 'b'], queryFn: () => api.GET('/api/b') })", 0],
  ["useQuery({ queryKey: ['a', 'c'], queryFn: () => api.GET('/api/a') })", 0],
  ["useQuery({ queryKey: ['a', { b }], queryFn: () => api.GET('/api/a') })", 0],
  ["useQuery({ queryKey: ['a', 'b', 'c'], queryFn: () => api.GET('/api/a') })", 0],
  ["useQueries({ queries: [{ queryKey: ['a', 'b'], queryFn: findAll }] })", 1],
])('beside one of its kind, %s clashes %d times', (text, count) => {
  const beside = findQueries('b.ts', "useQuery({ queryKey: ['a', 'b'], queryFn: () => api.GET('/api/b') })")
  expect(clashesOf([...beside, ...findQueries('a.ts', text)])).toHaveLength(count)
})
