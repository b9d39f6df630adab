import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { repositoryRoot } from '../source/list-files.ts'

/** Result of a command. */
export type Outcome = {
  readonly exitCode: number
  /** Standard output and standard error, interleaved in order of arrival. */
  readonly output: string
  readonly durationMs: number
}

/**
 * Runs a program from `node_modules/.bin` or the system in the repository, and waits until it exits.
 *
 * The pinned Node.js comes first in `PATH`. A program that cannot be started returns exit code 127. If this
 * process receives SIGTERM, it forwards the signal to the program.
 *
 * @param options.show - Called with each chunk of the output as it arrives.
 * @param options.env - Added to this process's environment.
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

/** Formats a duration: `0.8 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}
