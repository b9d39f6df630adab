import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'

/**
 * Writes a file that only this user may read (mode 0600), all of it or nothing: after a crash there is
 * either the old content or the new one.
 */
export async function writePrivateFile(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.new-${randomBytes(4).toString('hex')}`
  try {
    const file = await open(draft, 'wx', 0o600)
    await file
      .writeFile(content)
      .then(() => file.sync())
      .finally(() => file.close())
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
