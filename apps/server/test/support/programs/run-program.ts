import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'

/**
 * Runs a program and returns its output. Passes on no environment variables except `env`, `PATH` and the
 * compile cache.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; input?: string } = {},
): Promise<string> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(program, args, { env: { PATH, NODE_COMPILE_CACHE, ...options.env } })
  child.stdin.on('error', () => {})
  child.stdin.end(options.input)
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (child.exitCode !== 0) throw new Error(`${program} ended with ${child.exitCode}: ${errors}${output}`)
  return output
}

export function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .find(isRunnable)
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
