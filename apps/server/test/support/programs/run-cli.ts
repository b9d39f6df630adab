import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../../../../cli/src/main.ts', import.meta.url))

export type CliRun = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

export type CliProcess = {
  readonly child: ChildProcess
  readonly said: { stdout: string; stderr: string }
  readonly ended: Promise<CliRun>
  interrupt(): Promise<CliRun>
}

/**
 * Starts the CLI in `cwd` without a terminal. Passes on no environment variables except `env` and the compile
 * cache.
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
