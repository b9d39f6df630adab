import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../source/list-files.ts'

/** A fenced block of a guide. */
export type Block = {
  /** The first word after the fence: `sh`, `json`, `text`, …; empty where there is none. */
  readonly language: string
  /** What else stands after the fence, as `name=value` or a word alone. */
  readonly marks: ReadonlyMap<string, string>
  readonly text: string
  /** The nearest heading above it, without its signs. */
  readonly heading: string
  /** Where the block's text begins, counted from 1. */
  readonly line: number
  /** The reason why no test runs the block, from a comment `<!-- not run here: reason -->` before it. */
  readonly notRun: string | undefined
}

const fence = /^( *`{3,})\s*(\S*)\s*(.*)$/
const notRunMark = /^ *<!-- not run here: (.+) -->$/

/** Returns the fenced blocks of a page of the repository. */
export function readPage(path: string): Block[] {
  return readBlocks(readFileSync(join(repositoryRoot, path), 'utf8'))
}

/** The fenced blocks of a Markdown text, in order, exactly as they stand. */
export function readBlocks(markdown: string): Block[] {
  const blocks: Block[] = []
  const lines = markdown.split('\n')
  let heading = ''
  for (let at = 0; at < lines.length; at++) {
    const title = /^#+\s+(.*)$/.exec(lines[at] ?? '')?.[1]
    if (title) heading = title
    const opening = fence.exec(lines[at] ?? '')
    if (!opening) continue
    const [, ticks = '', language = '', info = ''] = opening
    const end = lines.indexOf(ticks, at + 1)
    if (end < 0) throw new Error(`line ${at + 1}: this block is never closed`)
    const indent = ticks.length - ticks.trimStart().length
    const text = lines
      .slice(at + 1, end)
      .map((line) => line.slice(indent))
      .join('\n')
    const notRun = notRunMark.exec(lines[at - 1] ?? '')?.[1]
    blocks.push({ language, marks: readMarks(info), text: `${text}\n`, heading, line: at + 2, notRun })
    at = end
  }
  return blocks
}

function readMarks(info: string): Map<string, string> {
  const found = info.matchAll(/([a-z-]+)(?:=(?:"([^"]*)"|(\S+)))?/g)
  return new Map([...found].map(([, name = '', quoted, plain]) => [name, quoted ?? plain ?? '']))
}
