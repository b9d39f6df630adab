import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** A start refused since another process works in the directory. */
export class DirectoryInUse extends Error {
  readonly directory: string
  readonly pid: number | undefined

  constructor(directory: string, pid: number | undefined) {
    super(
      `${directory} is in use by a running service${pid ? ` (process ${pid})` : ''}. ` +
        'Stop that one first, or give this one a directory of its own with DATA_DIR.',
    )
    this.name = 'DirectoryInUse'
    this.directory = directory
    this.pid = pid
  }
}

/** The right to work in a directory, held until given back or until the process is gone. */
export type InstanceLock = { release(): void }

/**
 * Takes the directory for this process alone, making it where it is missing.
 *
 * The lock is the operating system's own on a file (an exclusive transaction of the SQLite inside Node
 * takes one): two starters cannot both get it, it ends with the process however that dies, and no
 * child inherits it. The pid beside it is for people only.
 *
 * @throws {DirectoryInUse}
 */
export async function lockDirectory(directory: string): Promise<InstanceLock> {
  await mkdir(directory, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
  const pidFile = join(directory, 'service.pid')
  const file = new DatabaseSync(join(directory, 'service.lock'))
  try {
    file.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE')
  } catch (error) {
    file.close()
    if ((error as { errcode?: number }).errcode !== 5) throw error // 5: SQLITE_BUSY
    throw new DirectoryInUse(directory, readPid(pidFile))
  }
  writeFileSync(pidFile, `${process.pid}\n`)
  let isHeld = true
  return {
    release() {
      if (!isHeld) return
      isHeld = false
      rmSync(pidFile, { force: true })
      file.close()
    },
  }
}

function readPid(pidFile: string): number | undefined {
  try {
    return Number(readFileSync(pidFile, 'utf8')) || undefined
  } catch {
    return undefined
  }
}
