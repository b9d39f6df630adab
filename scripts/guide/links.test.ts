import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { listFiles, repositoryRoot } from '../source/list-files.ts'
import { listAnchors } from './list-anchors.ts'

const files = new Set(listFiles(repositoryRoot, ['']))
const pages = new Map(
  [...files]
    .filter((path) => path.endsWith('.md'))
    .map((path) => {
      const text = readFileSync(join(repositoryRoot, path), 'utf8')
      return [path, text.replace(/^(`{3,}).*?^\1$/gms, '')]
    }),
)

/** Returns the links of a page to files in the repository, ignoring code. */
function linksOf(path: string): { target: string; anchor: string | undefined }[] {
  const found = (pages.get(path) ?? '').replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)
  return [...found].flatMap(([, link = '']) => {
    const [file = '', anchor] = link.split('#')
    return /^[a-z]+:/.test(link)
      ? []
      : [{ target: file ? posix.join(posix.dirname(path), file) : path, anchor }]
  })
}

test('every link of every page leads to a file and a heading that are there', () => {
  expect(pages.size).toBeGreaterThan(15)
  const isThere = (path: string) =>
    files.has(path) || [...files].some((file) => file.startsWith(path.replace(/\/*$/, '/')))
  const broken = [...pages.keys()].flatMap((path) =>
    linksOf(path)
      .filter(
        ({ target, anchor }) =>
          !isThere(target) || (anchor !== undefined && !listAnchors(pages.get(target) ?? '').has(anchor)),
      )
      .map(({ target, anchor = '' }) => `${path}: ${target}#${anchor}`),
  )
  expect(broken).toEqual([])
})

test('every page of docs can be reached from the README', () => {
  const seen = new Set(['README.md'])
  for (const path of seen) for (const { target } of linksOf(path)) if (pages.has(target)) seen.add(target)
  expect([...pages.keys()].filter((path) => path.startsWith('docs/') && !seen.has(path))).toEqual([])
})
