import { eventLifeMs } from '@sluice/protocol/api/events.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database.ts'
import type { Job } from '../platform/ticker.ts'
import { dropEventsBefore, listMerchantsBefore, listUnnumberedMerchants } from './event-store.ts'
import { numberEvents } from './number-events.ts'

const everyMs = 15_000
const dropEveryMs = 3_600_000
const merchantsAtOnce = 200

/**
 * The job that keeps the feeds: numbers what nobody has read yet, and every hour drops what is older than
 * 30 days. Readers number for themselves, so nobody waits for it.
 */
export function makeKeepFeedJob(needs: { db: Database; clock: Clock }): Job {
  const { db, clock } = needs
  let droppedAt: UnixMs | undefined
  return {
    name: 'keep-feed',
    everyMs,
    async run() {
      const merchants = await listUnnumberedMerchants(db, merchantsAtOnce)
      for (const merchant of merchants) await numberEvents(db, merchant)
      const now = clock.now()
      if (droppedAt === undefined || now - droppedAt >= dropEveryMs) {
        const before = (now - eventLifeMs) as UnixMs
        for (const merchant of await listMerchantsBefore(db, before, merchantsAtOnce))
          await dropEventsBefore(db, merchant, before)
        droppedAt = now
      }
      return merchants.length === merchantsAtOnce ? 'again' : 'done'
    },
  }
}
