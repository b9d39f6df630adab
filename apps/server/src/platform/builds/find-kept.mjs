// Plain JavaScript: main.mjs asks it before anything is compiled.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What is known of a kept build: the file that it wrote last. */
export const manifestName = 'manifest.json'

/**
 * The newest folder below `home` that was built from the files that are here now, and is whole.
 *
 * A file counts as the same while its size and its second of change are: a package of an image keeps no more of them.
 *
 * @param {string} home - Where builds of this kind are kept.
 * @param {string} root - The folder of the repository.
 * @returns {string | undefined} `undefined` where there is none, for whatever reason.
 */
export function findKept(home, root) {
  return listKept(home).find((folder) => {
    try {
      const manifest = JSON.parse(readFileSync(join(folder, manifestName), 'utf8'))
      const isHere = (/** @type {[string, number, number]} */ [path, size, second]) => {
        const { size: sizeNow, mtimeMs } = statSync(join(root, path))
        return size === sizeNow && second === Math.floor(mtimeMs / 1_000)
      }
      const isWhole = (/** @type {[string, number]} */ [name, size]) =>
        statSync(join(folder, name)).size === size
      return (
        manifest.root === root &&
        manifest.node === process.version &&
        manifest.outputs.every(isWhole) &&
        manifest.inputs.every(isHere)
      )
    } catch {
      return false
    }
  })
}

/**
 * The folders of all builds below `home`, the newest first.
 *
 * @param {string} home
 * @returns {string[]}
 */
export function listKept(home) {
  try {
    return readdirSync(home)
      .filter((name) => /^[0-9a-f]{16}$/.test(name))
      .map((name) => ({ folder: join(home, name), at: statSync(join(home, name)).mtimeMs }))
      .sort((a, b) => b.at - a.at)
      .map(({ folder }) => folder)
  } catch {
    return []
  }
}
