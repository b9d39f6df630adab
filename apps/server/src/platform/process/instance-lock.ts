import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'

const tries = 5
const pauseMs = 30

export class DirectoryInUse extends Error {
  readonly directory: string
  readonly pid: number | undefined

  constructor(directory: string, pid: number | undefined) {
    super(
      `${directory} is in use by a running service${pid ? ` (process ${pid})` : ''}. ` +
        'Stop that service first, or set DATA_DIR to another directory.',
    )
    this.name = 'DirectoryInUse'
    this.directory = directory
    this.pid = pid
  }
}

export type InstanceLock = { release(): void }

/**
 * Locks the directory for this process. Creates the directory if it is missing.
 *
 * An exclusive SQLite transaction takes the operating system's lock on a file. Only one process gets the
 * lock, it ends with the process, and no child inherits it. The pid file is informative only.
 *
 * @throws {DirectoryInUse}
 */
export async function lockDirectory(directory: string): Promise<InstanceLock> {
  await mkdir(directory, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
  const pidFile = join(directory, 'service.pid')
  const file = new DatabaseSync(join(directory, 'service.lock'))
  try {
    if (!(await tryLock(file))) throw new DirectoryInUse(directory, readPid(pidFile))
  } catch (error) {
    file.close()
    throw error
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

/**
 * SQLite takes a shared lock first, so two simultaneous starts may both be refused.
 *
 * A few tries at random intervals distinguish such a conflict from a running service.
 */
async function tryLock(file: DatabaseSync): Promise<boolean> {
  file.exec('PRAGMA busy_timeout = 0')
  for (let left = tries; ; left--) {
    try {
      file.exec('BEGIN EXCLUSIVE')
      return true
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== 5) throw error // 5: SQLITE_BUSY
      if (left === 1) return false
      await pause(Math.random() * pauseMs)
    }
  }
}

function readPid(pidFile: string): number | undefined {
  try {
    return Number(readFileSync(pidFile, 'utf8')) || undefined
  } catch {
    return undefined
  }
}
