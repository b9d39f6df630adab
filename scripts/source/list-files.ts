import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the whole repository. */
export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url))

const skippedNames = new Set(['node_modules'])
const skippedPaths = new Set([
  ...['coverage', 'data', 'contracts/out', 'contracts/cache', 'packages/cli/dist', 'packages/sdk/dist'],
])

/**
 * Paths of our own files below `root`, relative to it and with slashes, sorted.
 *
 * Dependencies, hidden folders and what is made by running or building are left out.
 *
 * @param endings - What a name must end in, `.ts` for example.
 */
export function listFiles(root: string, endings: readonly string[]): string[] {
  const found: string[] = []
  const walk = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder ? `${folder}/${entry.name}` : entry.name
      if (entry.isDirectory()) {
        const isSkipped = entry.name.startsWith('.') || skippedNames.has(entry.name) || skippedPaths.has(path)
        if (!isSkipped) walk(path)
      } else if (endings.some((ending) => entry.name.endsWith(ending))) {
        found.push(path)
      }
    }
  }
  walk('')
  return found.sort()
}
