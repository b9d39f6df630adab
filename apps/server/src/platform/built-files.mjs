// Plain JavaScript: main.mjs imports it before anything is compiled.
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Whether the files of a list are built, and no source is newer.
 *
 * @param {string} list - The list that {@link writeBuilt} wrote.
 * @param {string} root - The folder of the repository.
 */
export function isBuilt(list, root) {
  try {
    const { startedAt, sources } = JSON.parse(readFileSync(list, 'utf8'))
    return sources.every((/** @type {string} */ path) => statSync(join(root, path)).mtimeMs < startedAt)
  } catch {
    return false
  }
}

/**
 * Writes built files, and their list last: a killed process leaves nothing that looks built.
 *
 * Each file is renamed into place, so that processes may build the same at the same time.
 *
 * @param {string} list
 * @param {{
 *   startedAt: number,
 *   sources: Iterable<string>,
 *   files: ReadonlyMap<string, string | Uint8Array>,
 * }} built - `startedAt`: when the first source was read; `sources`: paths in the repository.
 * @throws if the folder cannot be written.
 */
export function writeBuilt(list, { startedAt, sources, files }) {
  const folder = dirname(list)
  mkdirSync(folder, { recursive: true })
  const write = (/** @type {string} */ path, /** @type {string | Uint8Array} */ content) => {
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, content)
    renameSync(draft, path)
  }
  for (const [name, content] of files) write(join(folder, name), content)
  write(list, JSON.stringify({ startedAt, sources: [...new Set(sources)] }))
}
