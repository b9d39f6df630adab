import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Block } from './read-blocks.ts'
import { Terminal } from './terminal.ts'
import { evaluateResponse } from './validate-response.ts'

/** How a guide is to be played. */
export type Play = {
  /** Where the reader is at first. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** Ends it where it stands, with everything that was started. */
  readonly signal: AbortSignal
  /** Told of each step that went well, and of how long it took. */
  readonly report: (line: string) => void
}

/**
 * Runs a guide's blocks of `sh` as they stand, one after the other, and compares what each prints with the
 * `json` or `text` that follows it. Marks: `terminal=1` runs in a terminal of its own; `until="…"` goes on as
 * soon as that is printed, and leaves the command running until the end; `file=…`, of a block in another language:
 * it is saved under that name, as the guide asks its reader to. A block with `<!-- not run here: … -->` is left out.
 *
 * @returns what went wrong first, if anything did. Nothing is left running.
 */
export async function playGuide(blocks: readonly Block[], play: Play): Promise<string | undefined> {
  const terminals = new Map<string, Terminal>()
  const times = new Map<string, number>()
  const stop = () => void closeAll(terminals)
  play.signal.addEventListener('abort', stop, { once: true })
  try {
    for (const [index, block] of blocks.entries()) {
      const file = block.marks.get('file')
      if (file !== undefined) writeFileSync(join(play.folder, file), block.text)
      if (!isPlayed(block)) continue
      if (play.signal.aborted) return interrupted(block, play.signal)
      const name = block.marks.get('terminal') ?? 'own'
      const terminal = terminals.get(name) ?? new Terminal(play.folder, play.env)
      terminals.set(name, terminal)
      const startedAt = performance.now()
      const { isFine, output, errors } = await terminal.run(block.text, block.marks.get('until'))
      if (play.signal.aborted) return interrupted(block, play.signal)
      const error = isFine ? evaluateFollowing(blocks[index + 1], output) : `it failed\n${output}${errors}`
      if (error) return `line ${block.line}, ${block.heading}: ${error}`
      const ms = (times.get(block.heading) ?? 0) + performance.now() - startedAt
      times.set(block.heading, ms)
      const isLast = blocks.slice(index + 1).find(isPlayed)?.heading !== block.heading
      if (isLast) play.report(`${(ms / 1000).toFixed(1).padStart(6)} s  ${block.heading}`)
    }
    return undefined
  } finally {
    play.signal.removeEventListener('abort', stop)
    await closeAll(terminals)
  }
}

function isPlayed({ language, notRun }: Block): boolean {
  return language === 'sh' && notRun === undefined
}

function interrupted(block: Block, signal: AbortSignal): string {
  return `line ${block.line}, ${block.heading}: ${signal.reason.message}`
}

function evaluateFollowing(next: Block | undefined, output: string): string | undefined {
  if (next?.language !== 'json' && next?.language !== 'text') return undefined
  const error = evaluateResponse(next.language, next.text, output)
  return error && `what line ${next.line} shows differs from the output: ${error}`
}

/** Ctrl-C in every terminal: a service ends what it has started, which killing it would leave behind. */
async function closeAll(terminals: ReadonlyMap<string, Terminal>): Promise<void> {
  await Promise.all([...terminals.values()].map((terminal) => terminal.close()))
}
