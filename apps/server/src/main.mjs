// Plain JavaScript, so that Node.js compiles no TypeScript if a build exists.
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
 * Builds the service in a separate process, which frees its memory. If the build fails, the service runs from its
 * sources. It then starts more slowly and needs more memory.
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
