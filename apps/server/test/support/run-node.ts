import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** Runs a module's text in a process of its own, as TypeScript, and gives what it prints. */
export async function runNode(program: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-'], {
    env: { PATH: process.env.PATH, ...env },
  })
  child.stdin.end(program)
  const [output, faults] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (child.exitCode !== 0) throw new Error(`it ended with ${child.exitCode}: ${faults}${output}`)
  return output
}
