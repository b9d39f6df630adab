import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../../../../cli/src/main.ts', import.meta.url))

/** What a run of the command line came to. */
export type CliRun = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/** A command that is still at work. */
export type CliProcess = {
  readonly child: ChildProcess
  /** What it has written so far. */
  readonly said: { stdout: string; stderr: string }
  /** Resolves when it has ended. */
  readonly ended: Promise<CliRun>
  /** Ends it as Ctrl-C would. */
  interrupt(): Promise<CliRun>
}

/**
 * Starts the command line in `cwd`, with these variables and no others, on no terminal. What Node has compiled of it once
 * is kept: to compile it takes longer than most commands do.
 */
export function startCli(
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): CliProcess {
  const { NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { NODE_COMPILE_CACHE, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    said.stdout += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    said.stderr += chunk
  })
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, ...said }))
  return {
    child,
    said,
    ended,
    interrupt() {
      child.kill('SIGINT')
      return ended
    },
  }
}
