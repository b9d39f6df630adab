import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findProcesses, stopProcess } from '../../../src/platform/process/process.ts'
import { searchBeforeRemoval } from '../secrets/secret-register.ts'
import { mayHoldSecrets } from '../secrets/secret-search.ts'
import { temporaryPlace } from './temporary-place.ts'
import { cleanUpAfterUs } from './watchdog.ts'

export type TemporaryFolder = {
  readonly path: string
  /**
   * Kills processes that name the folder in their arguments, searches it for secrets and removes it.
   * Idempotent.
   */
  remove(): Promise<void>
}

const folders = new Map<string, TemporaryFolder>()

/**
 * Creates a folder that is removed after the test, or when the process dies. Unprivileged users can access
 * it.
 *
 * @param options - `isSearched`: whether to search the folder for secrets before its removal. Default:
 * `true`.
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

/** Returns whether the folder is being removed or has been removed. No process may start in such a folder. */
export function isLeft(path: string): boolean {
  return ![...folders.keys()].some((folder) => path.startsWith(folder))
}

export async function removeTemporaryFolders(): Promise<void> {
  await Promise.all([...folders.values()].map((folder) => folder.remove()))
}

/** Repeats the kill, since a process may have started another process before it ended. */
async function endAll(path: string): Promise<void> {
  for (;;) {
    const left = findProcesses(
      ({ program, args }) => !program.endsWith('sh') && args.some((arg) => arg.includes(path)),
    )
    if (left.length === 0) return
    await Promise.all(left.map((each) => stopProcess(each, [{ signal: 'SIGKILL', waitMs: 5_000 }])))
  }
}
