import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../source/list-files.ts'

/** A fenced block of a guide. */
export type Block = {
  /** First word after the fence: `sh`, `json`, `text`, …; empty if there is none. */
  readonly language: string
  /** Further words after the fence, each `name=value` or a single word. */
  readonly marks: ReadonlyMap<string, string>
  readonly text: string
  /** Nearest heading above the block, without its `#` characters. */
  readonly heading: string
  /** Line number of the first line of the block's text, counted from 1. */
  readonly line: number
  /** Reason why no test runs the block, from a comment `<!-- not run here: reason -->` before it. */
  readonly notRun: string | undefined
}

const fence = /^( *`{3,})\s*(\S*)\s*(.*)$/
const notRunMark = /^ *<!-- not run here: (.+) -->$/

/** Returns the fenced blocks of a page in the repository. */
export function readPage(path: string): Block[] {
  return readBlocks(readFileSync(join(repositoryRoot, path), 'utf8'))
}

/** Returns the fenced blocks of a Markdown text, verbatim and in order. */
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
