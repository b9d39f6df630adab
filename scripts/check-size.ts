import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CheckError, reportErrors } from './source/check-error.ts'
import { listFiles, repositoryRoot } from './source/list-files.ts'

const maxLines = 300

// Biome enforces the same limits for TypeScript.
const errors = listFiles(repositoryRoot, ['.sol']).flatMap((path): CheckError[] => {
  const lines = readFileSync(join(repositoryRoot, path), 'utf8').trimEnd().split('\n').length
  if (lines <= maxLines) return []
  return [{ path, line: lines, rule: 'size', message: `${lines} lines; split it by meaning at ${maxLines}` }]
})
reportErrors('size', errors)
