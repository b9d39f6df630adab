// Plain JavaScript: what is TypeScript would be compiled before what was built is found.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isBuilt } from './platform/built-files.mjs'

const repository = fileURLToPath(new URL('../../../', import.meta.url))
const list = join(repository, 'dist/main.json')

if (!isBuilt(list, repository)) build()
process.setSourceMapsEnabled(true)
await import(isBuilt(list, repository) ? '../../../dist/main.mjs' : './main.ts')

/**
 * Builds the service in a process of its own, whose memory is gone with it. If that fails, the service runs from its
 * sources, which takes longer to start and more memory.
 */
function build() {
  const program = fileURLToPath(new URL('./build.ts', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [program, '--only', 'service'], {
    encoding: 'utf8',
    env: { NODE_ENV: 'production' },
    timeout: 120_000,
  })
  if (status !== 0)
    process.stderr.write(`Sluice runs from its sources: it could not be built (exit ${status}). ${stderr}\n`)
}
