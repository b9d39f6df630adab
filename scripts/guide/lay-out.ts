import { chmodSync, cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../source/list-files.ts'

/** Entries that are not sources: installed packages, generated files and local settings. */
const notSources = new Set([
  'node_modules',
  'data',
  '.git',
  '.env',
  '.cache',
  'dist',
  'coverage',
  'out',
  'cache',
])

/**
 * Puts the sources into `<folder>/sluice`, like a fresh clone. By default these are links to this checkout
 * and its packages; if `isFull`, they are a copy without packages.
 */
export function layOut(folder: string, { isFull }: { isFull: boolean }): void {
  // PostgreSQL may run as another user, which needs to traverse this folder.
  chmodSync(folder, 0o711)
  const target = join(folder, 'sluice')
  if (isFull) {
    const filter = (path: string) => !notSources.has(path.split('/').at(-1) ?? '')
    cpSync(repositoryRoot, target, { recursive: true, filter })
    return
  }
  mkdirSync(target)
  for (const name of readdirSync(repositoryRoot)) {
    if (name === 'node_modules' || !notSources.has(name))
      symlinkSync(join(repositoryRoot, name), join(target, name))
  }
}
