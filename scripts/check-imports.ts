import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { judgeErrors } from './imports/judge-errors.ts'
import { judgeFolders } from './imports/judge-folders.ts'
import { judgeImports } from './imports/judge-imports.ts'
import { printMap } from './imports/print-map.ts'
import { reportFaults } from './source/fault.ts'
import { listFiles, repositoryRoot } from './source/list-files.ts'
import { parseSource } from './source/parse-source.ts'

const help = `Usage: node scripts/check-imports.ts [--print]

Enforces the layers (ARCHITECTURE.md): imports go down between modules and between the folders
of one, no folder is too large to take in, and no answers of the API in background work. Circles, barrels,
endings, and time, chance, timers and the network where they do not belong are found by Biome.

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
    ...judgeErrors(sources),
    ...judgeFolders(sources.map(({ path }) => path)),
  ])
}
