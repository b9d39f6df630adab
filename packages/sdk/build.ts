import { spawnSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'

// Builds the published package: one JavaScript file for Node 20 and browsers, its source map, and its types.
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
  // The map contains the sources, which the package does not ship.
  sourcemap: 'linked',
  legalComments: 'none',
})
const types = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: folder, stdio: 'inherit' })
if (types.status !== 0) process.exit(1)
copyFileSync(join(folder, '../../LICENSE'), join(folder, 'LICENSE'))
