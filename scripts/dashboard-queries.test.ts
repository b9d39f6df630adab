import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listFiles, repositoryRoot } from './source/list-files.ts'
import { isNode, type Node, parseSource, walk } from './source/parse-source.ts'

/** A query of a screen: its cache key and its content. Key parts known only at run time are `undefined`. */
type Query = {
  readonly file: string
  readonly key: readonly (string | undefined)[]
  readonly content: string
}

function findQueries(file: string, text: string): Query[] {
  const found: Query[] = []
  walk(parseSource(file, text).body, (node, parent) => {
    if (node.type !== 'ObjectExpression') return
    const fieldOf = (name: string) =>
      (node.properties as Node[]).find(({ key }) => isNode(key) && key.name === name)?.value as
        | Node
        | undefined
    const [key, work] = [fieldOf('queryKey'), fieldOf('queryFn')]
    if (key?.type !== 'ArrayExpression' || !work) return
    const source = text.slice(work.start, work.end)
    const paths = [...source.matchAll(/'(\/api\/[^']*)'/g)].map(([, path]) => path).join(' ')
    const hook = isNode(parent) && isNode(parent.callee) ? `${parent.callee.name}` : ''
    found.push({
      file,
      key: (key.elements as Node[]).map(({ type, value }) =>
        type === 'Literal' ? `${value}` : type === 'ObjectExpression' ? '{}' : undefined,
      ),
      content: `${hook === 'useInfiniteQuery' ? 'pages' : 'one'} ${paths || source}`,
    })
  })
  return found
}

/** Returns pairs of queries that may share a cache key at run time but differ in content. */
function clashesOf(queries: readonly Query[]): string[] {
  const canBeOne = (a: Query['key'], b: Query['key']) =>
    a.length === b.length && a.every((part, i) => part === undefined || b[i] === undefined || part === b[i])
  return queries.flatMap((one, i) =>
    queries
      .slice(i + 1)
      .filter((other) => canBeOne(one.key, other.key) && one.content !== other.content)
      .map((other) => `${one.file} and ${other.file}: ${one.key.map((part) => part ?? '…').join(', ')}`),
  )
}

test('no two screens of the web app keep different things under one key', () => {
  const root = join(repositoryRoot, 'apps/dashboard/src')
  const files = listFiles(root, ['.ts', '.tsx']).filter((file) => !/\.test\.|schema\.d\.ts$/.test(file))
  const queries = files.flatMap((file) => findQueries(file, readFileSync(join(root, file), 'utf8')))
  expect(queries.length).toBeGreaterThan(45)
  expect(clashesOf(queries)).toEqual([])
})

test.each([
  ["useInfiniteQuery({ queryKey: ['a', 'b'], queryFn: () => api.GET('/api/b') })", 1],
  ["useQuery({ queryKey: ['a', id], queryFn: () => api.GET('/api/a') })", 1],
  ["useQuery({ queryKey: ['a', { b }], queryFn: () => api.GET('/api/a') })", 0],
])('beside one of its kind, %s clashes %d times', (text, count) => {
  const beside = "useQuery({ queryKey: ['a', 'b'], queryFn: () => api.GET('/api/b') })"
  expect(clashesOf([...findQueries('b.ts', beside), ...findQueries('a.ts', text)])).toHaveLength(count)
})
