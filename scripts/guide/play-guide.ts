import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Block } from './read-blocks.ts'
import { Terminal } from './terminal.ts'
import { evaluateResponse } from './validate-response.ts'

/** Options for running a guide. */
export type Play = {
  /** Initial working directory. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** Stops the guide immediately, with all processes that it started. */
  readonly signal: AbortSignal
  /** Called with each successful step and its duration. */
  readonly report: (line: string) => void
}

/**
 * Runs the `sh` blocks of a guide verbatim, in order, and compares each output with the `json` or `text`
 * block that follows.
 *
 * - `terminal=1` runs the block in a separate terminal.
 * - `until="…"` continues as soon as this text is printed, and leaves the command running until the end.
 * - `file=…` on a block in another language saves the block under that name, as the guide's reader would.
 *
 * Blocks with `<!-- not run here: … -->` are skipped. No process is left running.
 *
 * @returns the first error, or `undefined`.
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

/** Sends Ctrl-C to every terminal. A killed service would leave its child processes running. */
async function closeAll(terminals: ReadonlyMap<string, Terminal>): Promise<void> {
  await Promise.all([...terminals.values()].map((terminal) => terminal.close()))
}
