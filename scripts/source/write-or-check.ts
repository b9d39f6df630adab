import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CheckError, reportErrors } from './check-error.ts'
import { repositoryRoot } from './list-files.ts'

/**
 * Writes generated files. With `--check`, only reports which files differ from their sources.
 *
 * @param files - Content of each file, by its path.
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

/** Returns the text of a file in the repository, or `undefined` if the file does not exist. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(join(repositoryRoot, path), 'utf8')
  } catch {
    return undefined
  }
}
