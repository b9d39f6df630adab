import { randomBytes } from 'node:crypto'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Writes a file with mode 0600 atomically: after a crash, it contains either the old or the new content.
 *
 * If root writes it, the file belongs to the folder's owner, who may start the service next time. Removes
 * drafts that a crash left behind, so only one process at a time may write the file.
 */
export async function writePrivateFile(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.new-${randomBytes(4).toString('hex')}`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      if (process.getuid?.() === 0) {
        const { uid, gid } = await stat(dirname(path))
        await file.chown(uid, gid)
      }
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
    await removeDrafts(path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

async function removeDrafts(path: string): Promise<void> {
  const start = `${basename(path)}.new-`
  const names = await readdir(dirname(path))
  const drafts = names.filter(
    (name) => name.startsWith(start) && /^[0-9a-f]{8}$/.test(name.slice(start.length)),
  )
  for (const name of drafts) await rm(join(dirname(path), name), { force: true })
}
