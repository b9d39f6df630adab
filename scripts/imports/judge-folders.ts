import { posix } from 'node:path'
import type { Fault } from '../source/fault.ts'

/** A folder of more files is cut by subject. */
const maxFiles = 22

const isSource = (path: string) => /^(apps|packages)\/[^/]+\/src\//.test(path) || path.startsWith('scripts/')

/** Folders of source with more files of their own than a reader takes in, under the rule `crowded`. */
export function judgeFolders(paths: readonly string[]): Fault[] {
  const counts = new Map<string, number>()
  for (const path of paths.filter(isSource)) {
    const folder = posix.dirname(path)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > maxFiles)
    .map(([path, count]) => ({
      path,
      line: 1,
      rule: 'crowded',
      message: `${count} files; cut it by subject at ${maxFiles}`,
    }))
}
