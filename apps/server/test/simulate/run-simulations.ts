import { execFile } from 'node:child_process'
import { join } from 'node:path'

/** Runs `npm run simulate` with these arguments. */
export function runSimulations(...args: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const main = join(import.meta.dirname, 'main.ts')
    execFile(process.execPath, [main, ...args], { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    )
  })
}
