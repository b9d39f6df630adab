import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { access, constants, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** With less free space than this, the write journal may not fit. */
const leastFreeBytes = 64 * 1024 * 1024

export type DataFolderState = {
  readonly freeBytes: number
  readonly error: 'not_writable' | 'almost_full' | undefined
}

/**
 * Creates the data directory if it is missing, and checks that it is writable.
 *
 * @throws {Error} that names the directory and the setting.
 */
export function prepareDataFolder(path: string): void {
  const probe = join(path, `.probe-${process.pid}`)
  try {
    // If root starts the database, another user must be able to traverse the folder.
    mkdirSync(path, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
    writeFileSync(probe, Buffer.alloc(4_096))
    rmSync(probe)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const advice = code === 'ENOSPC' ? 'free space on its disk' : 'make it writable for this user'
    throw new Error(
      `DATA_DIR (${path}) cannot be written to: ${message}; ${advice}, or set another directory`,
    )
  }
}

export async function readDataFolder(path: string): Promise<DataFolderState> {
  const [disk, isWritable] = await Promise.all([
    statfs(path).catch(() => undefined),
    access(path, constants.W_OK).then(
      () => true,
      () => false,
    ),
  ])
  const freeBytes = disk ? disk.bavail * disk.bsize : 0
  const reason = !isWritable ? 'not_writable' : freeBytes < leastFreeBytes ? 'almost_full' : undefined
  return { freeBytes, error: reason }
}
