import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { listFiles, repositoryRoot } from '../source/list-files.ts'
import { findBrokenLinks } from './check-links.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-links-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('every link of every page leads to a file and a heading that are there', () => {
  const pages = listFiles(repositoryRoot, ['.md'])
  expect(pages.length).toBeGreaterThan(15)
  const faults = pages.flatMap((path) => findBrokenLinks(repositoryRoot, path))
  expect(faults.map(({ path, line, message }) => `${path}:${line} ${message}`)).toEqual([])
})

test('every page of docs can be reached from the README', () => {
  const seen = new Set<string>()
  const visit = (path: string) => {
    if (seen.has(path)) return
    seen.add(path)
    for (const [, target = ''] of readPage(path).matchAll(/\]\(([^)\s#]+\.md)(?:#[^)]*)?\)/g))
      if (!/^[a-z]+:/.test(target)) visit(join(path, '..', target))
  }
  visit('README.md')
  const pages = listFiles(repositoryRoot, ['.md']).filter((path) => path.startsWith('docs/'))
  expect(pages.filter((path) => !seen.has(path))).toEqual([])
})

test('a link to no file, to no heading and out of the repository are faults; code and other sites are not', () => {
  writeFileSync(join(folder, 'b.md'), '# The `GET /x/{id}` call\n\n## Twice\n\n## Twice\n')
  const good =
    '[a](b.md) [b](b.md#the-get-xid-call) [c](b.md#twice-1) [d](#one) [e](https://example.com/x.md)'
  const bad = '[a](c.md) [b](b.md#thrice) [c](../x.md) [d](#two) `[e](c.md)`'
  writeFileSync(join(folder, 'a.md'), `# One\n${good}\n\`\`\`md\n[a](c.md)\n\`\`\`\n${bad}\n`)
  expect(findBrokenLinks(folder, 'a.md').map(({ line, message }) => [line, message])).toEqual([
    [6, 'c.md: there is no c.md'],
    [6, 'b.md#thrice: b.md has no such heading'],
    [6, '../x.md links outside of the repository'],
    [6, '#two: a.md has no such heading'],
  ])
})

function readPage(path: string): string {
  return readFileSync(join(repositoryRoot, path), 'utf8')
}
