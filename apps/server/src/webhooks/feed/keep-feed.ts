import { eventLifeMs } from '@sluice/protocol/api/events.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { walkItems } from '../../platform/jobs/defer.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Log } from '../../platform/log.ts'
import { dropEventsBefore, listMerchantsBefore, listUnnumberedMerchants } from './event-store.ts'
import { numberEvents } from './number-events.ts'

const everyMs = 15_000
const dropEveryMs = 3_600_000
const merchantsAtOnce = 200

/**
 * Creates the job that numbers new events and, every hour, deletes events older than 30 days.
 *
 * Readers number events themselves and never wait for this job.
 */
export function makeKeepFeedJob(needs: { db: Database; clock: Clock; log: Log }): Job {
  const { db, clock } = needs
  let after = ''
  let old: { readonly before: UnixMs; readonly merchants: string[] } | undefined
  let droppedAt: UnixMs | undefined
  return {
    name: jobNames.keepFeed,
    everyMs,
    async run() {
      const now = clock.now()
      const unnumbered = await listUnnumberedMerchants(db, after, merchantsAtOnce)
      const isFull = unnumbered.length === merchantsAtOnce
      after = isFull ? (unnumbered.at(-1) ?? '') : ''
      await walkItems(needs, unnumbered, {
        job: jobNames.keepFeed,
        nameOf: (merchant) => ({ merchant, item: 'feed' }),
        work: (merchant) => numberEvents(db, merchant),
      })
      if (!old && (droppedAt === undefined || Math.abs(now - droppedAt) >= dropEveryMs)) {
        const before = (now - eventLifeMs) as UnixMs
        old = { before, merchants: await listMerchantsBefore(db, before) }
      }
      if (old) {
        const { before, merchants } = old
        // The remaining merchants are processed in later rounds, so that new events are numbered in between.
        await walkItems(needs, merchants.slice(0, merchantsAtOnce), {
          job: jobNames.keepFeed,
          nameOf: (merchant) => ({ merchant, item: 'old events' }),
          work: async (merchant) => void (await dropEventsBefore(db, merchant, before)),
        })
        merchants.splice(0, merchantsAtOnce)
        if (merchants.length > 0) return 'again'
        old = undefined
        droppedAt = now
      }
      return isFull ? 'again' : 'done'
    },
  }
}
