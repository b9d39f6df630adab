import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'

/** More than the databases, chains and WAL of a whole run take. */
const neededBytes = 8_000_000_000

/**
 * Returns the folder for the files of tests: in memory if there is enough, else the temporary folder.
 *
 * A test database is a thousand files. On a disk, creating them takes longer than all statements of the test.
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
