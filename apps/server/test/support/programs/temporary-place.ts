import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'

/** More than the databases, chains and WAL of a whole run occupy. */
const neededBytes = 8_000_000_000

/**
 * Returns the folder for test files: in memory if there is enough memory, else the system's temporary folder.
 * A test database has a thousand files. On a disk, creating them takes longer than all statements of a test.
 */
export function temporaryPlace(): string {
  place ??= hasRoomInMemory() ? memory : tmpdir()
  return place
}

let place: string | undefined

function hasRoomInMemory(): boolean {
  if (process.env.TMPDIR !== undefined) return false
  try {
    accessSync(memory, constants.R_OK | constants.W_OK | constants.X_OK)
    const { bavail, bsize } = statfsSync(memory)
    return Math.min(bavail * bsize, process.availableMemory()) > neededBytes
  } catch {
    return false
  }
}
