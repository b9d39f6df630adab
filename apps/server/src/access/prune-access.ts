import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../kernel/clock.ts'
import { generateId } from '../kernel/generate-id.ts'
import { listMerchantWallets } from '../merchants/merchant-store.ts'
import type { Database } from '../platform/database/database.ts'
import { longStatementLimitMs } from '../platform/database/limits.ts'
import { statement } from '../platform/database/statement.ts'
import { jobNames } from '../platform/jobs/names.ts'
import type { Job } from '../platform/jobs/ticker.ts'
import { pruneKeptResponses } from './idempotency/store.ts'
import { pruneBuckets } from './limits/rate-bucket.ts'
import { pruneChallenges } from './sessions/login-challenge.ts'
import { pruneSessions } from './sessions/session-store.ts'

const dayMs = 24 * 60 * 60_000
/**
 * A day and an hour longer than documented, so that a clock that is a day ahead deletes nothing too early.
 */
const marginMs = dayMs + 60 * 60_000
const responseMs = 7 * dayMs + marginMs
const requestsMs = 30 * dayMs + marginMs
const sessionsMs = 30 * dayMs
const merchantsPerStep = 100

/** Returns the hourly job that deletes expired challenges, sessions, stored responses and request logs. */
export function makeForgetJob(needs: { db: Database; clock: Clock }): Job {
  return {
    name: jobNames.pruneAccess,
    everyMs: 60 * 60_000,
    async run(signal) {
      await pruneAccess(needs, signal)
      return 'done'
    },
  }
}

/** Safe to repeat and to interrupt. */
export async function pruneAccess(
  needs: { db: Database; clock: Clock },
  signal?: AbortSignal,
): Promise<void> {
  const { db } = needs
  const now = needs.clock.now()
  const ago = (ms: number) => (now - ms) as UnixMs
  await pruneChallenges(db, ago(marginMs))
  await pruneSessions(db, ago(sessionsMs))
  await pruneBuckets(db, ago(marginMs))
  for (let last = ''; !signal?.aborted; ) {
    const merchants = await listMerchantWallets(db, last, merchantsPerStep)
    const id = generateId(ago(requestsMs), { bytes: (n) => new Uint8Array(n) })
    if (merchants.length > 0) {
      await pruneKeptResponses(db, merchants, ago(responseMs))
      await db.run(pruneRequests({ merchants, id }))
    }
    const next = merchants.at(-1)
    if (next === undefined || merchants.length < merchantsPerStep) return
    last = next
  }
}

/** Ids start with their time, so lines older than a moment have ids below the first id of that moment. */
const pruneRequests = statement({
  name: 'forget-request-lines',
  limitMs: longStatementLimitMs,
  text: 'DELETE FROM request_log WHERE merchant = ANY(:merchants::text[]) AND id < :id',
})
