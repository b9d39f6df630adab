import { spawnSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'

// The package as integrators install it: one file of plain JavaScript for Node 20 and browsers, with its types.
const folder = import.meta.dirname
const dist = join(folder, 'dist')

rmSync(dist, { recursive: true, force: true })
buildSync({
  absWorkingDir: folder,
  entryPoints: ['src/sluice.ts'],
  outfile: 'dist/sluice.js',
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  legalComments: 'none',
})
const types = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: folder, stdio: 'inherit' })
if (types.status !== 0) process.exit(1)
copyFileSync(join(folder, '../../LICENSE'), join(folder, 'LICENSE'))
