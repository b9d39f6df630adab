import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validateImports } from './imports/validate-imports.ts'
import { reportErrors } from './source/check-error.ts'
import { listFiles, repositoryRoot } from './source/list-files.ts'
import { parseSource } from './source/parse-source.ts'

// Enforces the layers (ARCHITECTURE.md). Circles, barrels, endings, and time, chance, timers and the network where they
// do not belong are found by Biome.
const sources = listFiles(repositoryRoot, ['.ts']).map((path) =>
  parseSource(path, readFileSync(join(repositoryRoot, path), 'utf8')),
)
reportErrors('imports', validateImports(sources))
