import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

// Builds the published package: one executable JavaScript file for Node 20, which imports the client package.
const folder = import.meta.dirname

rmSync(join(folder, 'dist'), { recursive: true, force: true })
await build({
  absWorkingDir: folder,
  entryPoints: ['src/main.ts'],
  outfile: 'dist/main.js',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  legalComments: 'none',
  plugins: [
    {
      name: 'client-package',
      setup: ({ onResolve }) =>
        onResolve({ filter: /\/sdk\/src\/sluice\.ts$/ }, () => ({ path: '@sluice/sdk', external: true })),
    },
  ],
})
copyFileSync(join(folder, '../../LICENSE'), join(folder, 'LICENSE'))
