import { rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Log } from '../../platform/log.ts'
import { type KitNeeds, makeKit, type RecoveryKit } from './make-kit.ts'

/** Search cost of a lost time grows with the age of the kit: see docs/backup.md. */
const hourMs = 3_600_000

/** Returns the job that writes the recovery kit into the data directory every hour. */
export function makeWriteKitJob(needs: KitNeeds & { readonly log: Log }, dataDir: string): Job {
  const path = join(dataDir, 'recovery-kit.json')
  return {
    name: jobNames.writeRecoveryKit,
    everyMs: hourMs,
    async run(signal) {
      const writtenAt = await stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      )
      const ageMs = needs.clock.now() - writtenAt
      if (ageMs >= 0 && ageMs < hourMs) return { wakeInMs: hourMs - ageMs }
      const kit = await makeKit(needs, undefined, signal)
      if (!kit.isComplete)
        needs.log.warn({ path }, 'the recovery kit has reached its size limit: it omits the oldest attempts')
      await writeKit(kit, path)
      return 'done'
    },
  }
}

/** Replaces the file at once, so that a reader never sees a part of it. */
export async function writeKit(kit: RecoveryKit, path: string): Promise<void> {
  const part = `${path}.part`
  await writeFile(part, `${JSON.stringify(kit)}\n`, { mode: 0o600, flush: true })
  await rename(part, path)
}
