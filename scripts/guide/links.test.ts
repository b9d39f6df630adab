import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { listFiles, repositoryRoot } from '../source/list-files.ts'

const files = new Set(listFiles(repositoryRoot, ['']))
const pages = new Map(
  [...files]
    .filter((path) => path.endsWith('.md'))
    .map((path) => {
      const text = readFileSync(join(repositoryRoot, path), 'utf8')
      return [path, text.replace(/^(`{3,}).*?^\1$/gms, '')]
    }),
)

/** What a page links to in the repository, outside of code. */
function linksOf(path: string): { target: string; anchor: string | undefined }[] {
  const found = (pages.get(path) ?? '').replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)
  return [...found].flatMap(([, link = '']) => {
    const [file = '', anchor] = link.split('#')
    return /^[a-z]+:/.test(link)
      ? []
      : [{ target: file ? posix.join(posix.dirname(path), file) : path, anchor }]
  })
}

/** The anchors of a page, as they are made of its headings on the web. */
function anchorsOf(path: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, title = ''] of (pages.get(path) ?? '').matchAll(/^#+\s+(.*)$/gm)) {
    const plain = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')
    const slug = plain
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-')
    let name = slug
    for (let count = 1; anchors.has(name); count++) name = `${slug}-${count}`
    anchors.add(name)
  }
  return anchors
}

test('every link of every page leads to a file and a heading that are there', () => {
  expect(pages.size).toBeGreaterThan(15)
  const isThere = (path: string) =>
    files.has(path) || [...files].some((file) => file.startsWith(path.replace(/\/*$/, '/')))
  const broken = [...pages.keys()].flatMap((path) =>
    linksOf(path)
      .filter(
        ({ target, anchor }) => !isThere(target) || (anchor !== undefined && !anchorsOf(target).has(anchor)),
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
