import { mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'

/** Beyond this the file is put aside as `sluice.log.1`, in place of the one before: two files, twice this at most. */
const maxLogBytes = 16 * 1024 * 1024

/** Lines that wait for room on a full disk; newer ones are dropped. */
const maxWaitingBytes = 1024 * 1024

/** A log file in the data folder that never grows without a bound. */
export function openLogFile(
  dataDir: string,
  maxBytes: number = maxLogBytes,
): { readonly path: string; write(line: string): void } {
  mkdirSync(dataDir, { recursive: true })
  const path = join(dataDir, 'sluice.log')
  const file = pino.destination({ dest: path, sync: true, mode: 0o600, maxLength: maxWaitingBytes })
  // On a full disk, lines wait for room; the service goes on.
  file.on('error', () => {})
  let size = statSync(path).size
  return {
    path,
    write(line) {
      if (size + line.length > maxBytes) {
        renameSync(path, `${path}.1`)
        file.reopen(path)
        size = 0
      }
      file.write(line)
      size += Buffer.byteLength(line)
    },
  }
}
