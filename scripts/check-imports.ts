import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findCircles } from './house/find-circles.ts'
import { judgeFolders } from './house/judge-folders.ts'
import { judgeImports } from './house/judge-imports.ts'
import { judgeSeams } from './house/judge-seams.ts'
import { printMap } from './house/print-map.ts'
import { reportFaults } from './source/fault.ts'
import { listFiles, repositoryRoot } from './source/list-files.ts'
import { parseSource } from './source/parse-source.ts'

const help = `Usage: node scripts/check-imports.ts [--print]

Checks the layers (ARCHITECTURE.md): imports go down between modules and between the folders of one; no circles, no
barrels, no oversized folders; and time, randomness, timers and the network only where they belong.

  --print  print the layers, their folders and the imports of each`

if (process.argv.includes('--help')) {
  console.log(help)
} else {
  const sources = listFiles(repositoryRoot, ['.ts']).map((path) =>
    parseSource(path, readFileSync(join(repositoryRoot, path), 'utf8')),
  )
  if (process.argv.includes('--print')) console.log(printMap(sources))
  reportFaults('imports', [
    ...judgeImports(sources),
    ...findCircles(sources),
    ...judgeSeams(sources),
    ...judgeFolders(sources.map(({ path }) => path)),
  ])
}
