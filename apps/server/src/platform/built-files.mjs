// Plain JavaScript: main.mjs imports it before anything is compiled.
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Returns whether the files in a list are built and no source is newer.
 *
 * @param {string} list - List that {@link writeBuilt} wrote.
 * @param {string} root - Folder of the repository.
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
 * Writes the built files, then their list, so that a killed process leaves nothing that looks built.
 *
 * Each file is renamed into place, so that several processes can build the same files at once.
 *
 * @param {string} list
 * @param {{
 *   startedAt: number,
 *   sources: Iterable<string>,
 *   files: ReadonlyMap<string, string | Uint8Array>,
 * }} built - `startedAt`: time at which the first source was read; `sources`: paths in the repository.
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
