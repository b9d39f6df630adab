import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'

/** Databases, chains and the WAL of a whole run take less. */
const neededBytes = 8_000_000_000

/**
 * Where tests keep what goes with them: in memory where there is plenty of it, in the temporary folder otherwise.
 *
 * Each test database is a thousand files, made and removed within seconds. To find room for them a disk's file system
 * takes longer than PostgreSQL takes for all statements.
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
