import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validateImports } from './imports/validate-imports.ts'
import { reportErrors } from './source/check-error.ts'
import { listFiles, repositoryRoot } from './source/list-files.ts'
import { parseSource } from './source/parse-source.ts'

// Enforces the layers (ARCHITECTURE.md). Biome reports import cycles, barrel files and missing file
// extensions, and the use of time, randomness, timers and the network in the wrong module.
const sources = listFiles(repositoryRoot, ['.ts']).map((path) =>
  parseSource(path, readFileSync(join(repositoryRoot, path), 'utf8')),
)
reportErrors('imports', validateImports(sources))
