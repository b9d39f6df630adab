// Plain JavaScript: what is TypeScript would be compiled before what was built is found.
import { spawn } from 'node:child_process'
import module from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findKept } from './platform/builds/find-kept.mjs'
import { allocation } from './platform/process/allocation.mjs'

const repository = fileURLToPath(new URL('../../../', import.meta.url))
const home = join(repository, '.cache/service')
const buildLimitMs = 120_000

// The system reads them when a process begins; the process stays the same one.
const { MALLOC_ARENA_MAX: pools } = process.env
if (process.platform === 'linux' && pools === undefined && process.execve)
  process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
    ...allocation,
    ...process.env,
  })

// Where the folder cannot be written, everything is compiled at each start, and nothing else is different.
module.enableCompileCache?.(join(repository, '.cache/compiled'))
const built = findKept(home, repository) ?? (await build())
await import(built === undefined ? './main.ts' : pathToFileURL(join(built, 'main.mjs')).href)

/**
 * Builds the service in a process of its own, whose memory is gone with it. Where that fails, the service runs from its
 * sources, which takes longer to start and more memory.
 *
 * @returns {Promise<string | undefined>}
 */
async function build() {
  const program = fileURLToPath(new URL('./build.ts', import.meta.url))
  const child = spawn(process.execPath, [program, '--only', 'service'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { NODE_ENV: 'production' },
    timeout: buildLimitMs,
  })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said = (said + chunk).slice(-2_000)
  })
  const stop = () => {
    child.kill('SIGKILL')
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, stop)
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(undefined))
    child.once('close', resolve)
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.off(signal, stop)
  const folder = findKept(home, repository)
  if (folder === undefined)
    process.stderr.write(`Sluice runs from its sources: it could not be built (exit ${code}). ${said}\n`)
  return folder
}
