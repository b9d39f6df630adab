import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findProcesses, stopProcess } from '../../../src/platform/process/process.ts'
import { searchBeforeRemoval } from '../secrets/secret-register.ts'
import { mayHoldSecrets } from '../secrets/secret-search.ts'
import { temporaryPlace } from './temporary-place.ts'
import { cleanUpAfterUs } from './watchdog.ts'

/** A folder of one test, and a promise that nothing of it is left. */
export type TemporaryFolder = {
  readonly path: string
  /**
   * Ends by force what still runs with the folder in its arguments, searches the folder for secrets and removes it.
   * Safe to call twice.
   */
  remove(): Promise<void>
}

const folders = new Map<string, TemporaryFolder>()

/**
 * Makes a folder that goes with the test, or with the process should that be killed. Users without rights can get
 * there.
 *
 * @param options - `isSearched`: whether secrets are looked for before it is removed; they are where it is absent.
 */
export async function makeTemporaryFolder(
  name: string,
  options: { isSearched?: boolean } = {},
): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(temporaryPlace(), `sluice-test-${name}-`))
  await chmod(path, 0o711)
  const watchdog = cleanUpAfterUs(path)
  const folder: TemporaryFolder = {
    path,
    async remove() {
      const isFirst = folders.delete(path)
      await endAll(path)
      if (isFirst && options.isSearched !== false) searchBeforeRemoval(path, mayHoldSecrets)
      await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
      watchdog.leave()
    },
  }
  folders.set(path, folder)
  return folder
}

/** Whether nothing is to be started in a folder any more: it is being removed, or is gone. */
export function isLeft(path: string): boolean {
  return ![...folders.keys()].some((folder) => path.startsWith(folder))
}

/** Removes what tests of this process have made and, since they failed, not removed. */
export async function removeTemporaryFolders(): Promise<void> {
  await Promise.all([...folders.values()].map((folder) => folder.remove()))
}

/** Again and again: one that is ended last may have started another meanwhile. */
async function endAll(path: string): Promise<void> {
  for (;;) {
    const left = findProcesses(
      ({ program, args }) => !program.endsWith('sh') && args.some((arg) => arg.includes(path)),
    )
    if (left.length === 0) return
    await Promise.all(left.map((each) => stopProcess(each, [{ signal: 'SIGKILL', waitMs: 5_000 }])))
  }
}
