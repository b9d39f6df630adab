import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Root folder of the repository. */
export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url))

const skippedNames = new Set(['node_modules'])
const skippedPaths = new Set([
  ...['coverage', 'data', 'contracts/out', 'contracts/cache', 'packages/cli/dist', 'packages/sdk/dist'],
])

/**
 * Returns the sorted paths of the project's own files below `root`, relative to `root` and with slashes.
 *
 * Omits dependencies, hidden folders and generated files.
 *
 * @param endings - Accepted endings of a file name, such as `.ts`.
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
