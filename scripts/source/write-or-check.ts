import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CheckError, reportErrors } from './check-error.ts'
import { repositoryRoot } from './list-files.ts'

/**
 * Writes generated files, or with `--check` says which differ from what their sources give, and writes nothing.
 *
 * @param files - What each file is to hold, by its path.
 */
export function writeOrCheck(files: Readonly<Record<string, string>>): void {
  const stale = Object.keys(files).filter((path) => readIfThere(path) !== files[path])
  const command = `node ${process.argv[1]?.slice(repositoryRoot.length)}`
  if (process.argv.includes('--check')) {
    const message = `differs from its sources; run ${command}`
    const errors = stale.map((path): CheckError => ({ path, line: 1, rule: 'generated', message }))
    reportErrors(Object.keys(files).join(', '), errors)
  } else {
    for (const path of stale) writeFileSync(join(repositoryRoot, path), files[path] ?? '')
    console.log(`${stale.join(', ') || 'nothing'} written`)
  }
}

/** The text of a file of the repository, `undefined` where there is none. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(join(repositoryRoot, path), 'utf8')
  } catch {
    return undefined
  }
}
