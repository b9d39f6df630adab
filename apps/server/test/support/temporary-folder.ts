import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProcesses, stopProcess } from '../../src/platform/process.ts'
import { searchBeforeRemoval } from './secret-register.ts'
import { mayHoldSecrets } from './secret-search.ts'
import { cleanUpAfterUs } from './watchdog.ts'

/** A folder of one test, and a promise that nothing of it is left. */
export type TemporaryFolder = {
  readonly path: string
  /** Ends by force what still runs with the folder in its arguments, searches the folder for secrets and removes it. */
  remove(): Promise<void>
}

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
  const path = await mkdtemp(join(tmpdir(), `sluice-test-${name}-`))
  await chmod(path, 0o711)
  cleanUpAfterUs(path)
  return {
    path,
    async remove() {
      const left = findProcesses(
        ({ program, args }) => !program.endsWith('sh') && args.some((arg) => arg.includes(path)),
      )
      await Promise.all(left.map((each) => stopProcess(each, [{ signal: 'SIGKILL', waitMs: 5_000 }])))
      if (options.isSearched !== false) searchBeforeRemoval(path, mayHoldSecrets)
      await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}
