import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { allocation } from './allocation.mjs'

const main = fileURLToPath(new URL('../../main.mjs', import.meta.url))

/** What the service's process has of it in the end, begun in an environment of these. */
function startWith(environment: Readonly<Record<string, string>>): Record<string, string> {
  const program = `
    const found = Object.entries(process.env).filter(([name]) => name.startsWith('MALLOC_'))
    if (found.some(([name]) => name === 'MALLOC_ARENA_MAX')) {
      console.log(JSON.stringify(Object.fromEntries(found)))
      process.exit()
    }`
  const said = execFileSync(process.execPath, [main], {
    encoding: 'utf8',
    timeout: 60_000,
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}`, ...environment },
  })
  return JSON.parse(said)
}

test.runIf(process.platform === 'linux')(
  'memory is allocated so that it can be given back, except where the operator says how',
  () => {
    expect(startWith({})).toEqual(allocation)
    expect(startWith({ MALLOC_TRIM_THRESHOLD_: '1' })).toEqual({ ...allocation, MALLOC_TRIM_THRESHOLD_: '1' })
    expect(startWith({ MALLOC_ARENA_MAX: '8' })).toEqual({ MALLOC_ARENA_MAX: '8' })
  },
)
