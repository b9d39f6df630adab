import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { repositoryRoot } from '../source/list-files.ts'

/** How a command ended. */
export type Outcome = {
  readonly exitCode: number
  /** Standard output and error as they came, interleaved. */
  readonly output: string
  readonly durationMs: number
}

/**
 * Runs a program of `node_modules/.bin` (or of the system) in the repository and waits for its end.
 *
 * The pinned Node comes first in the path, whatever started us. A program that cannot be
 * started ends with exit code 127; a SIGTERM that we get is passed on to it.
 *
 * @param options.show - Given the output while it comes, in pieces as they come.
 * @param options.env - Set beside our own environment.
 */
export function runCommand(
  command: string,
  args: readonly string[],
  options: {
    show?: (text: string) => void
    cwd?: string
    env?: Readonly<Record<string, string>>
  } = {},
): Promise<Outcome> {
  const startedAt = Date.now()
  const path = [join(repositoryRoot, 'node_modules', '.bin'), process.env.PATH].join(delimiter)
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? repositoryRoot,
      env: { ...process.env, ...options.env, PATH: path },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const chunks: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', (chunk: string) => {
        chunks.push(chunk)
        options.show?.(chunk)
      })
    }
    const end = (exitCode: number) => {
      process.off('SIGTERM', passOn)
      resolve({ exitCode, output: chunks.join(''), durationMs: Date.now() - startedAt })
    }
    const passOn = (signal: NodeJS.Signals) => void child.kill(signal)
    process.on('SIGTERM', passOn)
    child.on('error', (error) => {
      chunks.push(`${command} could not be started: ${error.message}\n`)
      end(127)
    })
    child.on('close', (code) => end(code ?? 1))
  })
}

/** A duration for people: `0.8 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}
