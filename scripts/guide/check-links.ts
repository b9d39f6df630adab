import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Fault } from '../source/fault.ts'
import { readBlocks } from './read-blocks.ts'

/**
 * Links of a Markdown file that lead nowhere in the repository: to a file that is not there, or to a heading the
 * page does not have. Addresses of other sites are not asked.
 */
export function findBrokenLinks(root: string, path: string): Fault[] {
  const faults: Fault[] = []
  const lines = withoutBlocks(readFileSync(join(root, path), 'utf8')).split('\n')
  for (const [index, line] of lines.entries()) {
    for (const [, target = ''] of line.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const message = judgeLink(root, path, target)
      if (message) faults.push({ path, line: index + 1, rule: 'links', message })
    }
  }
  return faults
}

function judgeLink(root: string, path: string, link: string): string | undefined {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? path : join(dirname(path), file)
  if (target.startsWith('..')) return `${link} links outside of the repository`
  if (!existsSync(join(root, target))) return `${link}: there is no ${target}`
  if (anchor === undefined) return undefined
  const isThere = anchorsOf(readFileSync(join(root, target), 'utf8')).has(anchor)
  return isThere ? undefined : `${link}: ${target} has no such heading`
}

/** The anchors of a page, as they are made of its headings on the web. */
function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, title = ''] of withoutBlocks(markdown).matchAll(/^#+\s+(.*)$/gm)) {
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

/** Fenced blocks emptied, lines kept. */
function withoutBlocks(markdown: string): string {
  const lines = markdown.split('\n')
  for (const block of readBlocks(markdown)) {
    const count = block.text.split('\n').length - 1
    for (let line = block.line - 1; line < block.line - 1 + count; line++) lines[line] = ''
  }
  return lines.join('\n')
}
