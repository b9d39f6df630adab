import { chmodSync, cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../source/list-files.ts'

/** What is not part of the sources: what was installed, made by running, or is this machine's own. */
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
 * Puts the sources into `<folder>/sluice`, as somebody has them who has just fetched them: as links to this
 * checkout with its packages, or, where it is to be full, as a copy without any.
 */
export function layOut(folder: string, { isFull }: { isFull: boolean }): void {
  // PostgreSQL may run as another user and has to pass through.
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
