import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import { makeId } from '../kernel/make-id.ts'
import type { Database } from '../platform/database/database.ts'
import { longStatementLimitMs } from '../platform/database/limits.ts'
import { jobNames } from '../platform/jobs/names.ts'
import type { Job } from '../platform/jobs/ticker.ts'
import { forgetKeptAnswers } from './idempotency/store.ts'
import { forgetBuckets } from './limits/rate-store.ts'
import { forgetChallenges } from './sessions/challenge-store.ts'
import { forgetSessions } from './sessions/session-store.ts'

const dayMs = 24 * 60 * 60_000
/** A day and an hour more than is promised: a clock a day ahead loses nothing that somebody still counts on. */
const marginMs = dayMs + 60 * 60_000
const answersMs = 7 * dayMs + marginMs // decisions: Everywhere, Idempotency-Key
const requestsMs = 30 * dayMs + marginMs
const sessionsMs = 30 * dayMs
const merchantsPerStep = 100

/** The job that removes, once an hour, what nobody can ask for any more. */
export function makeForgetJob(needs: { db: Database; clock: Clock }): Job {
  return {
    name: jobNames.forgetOld,
    everyMs: 60 * 60_000,
    async run(signal) {
      await forgetOld(needs, signal)
      return 'done'
    },
  }
}

/** One round of it. Safe to repeat, and to leave half done. */
export async function forgetOld(needs: { db: Database; clock: Clock }, signal?: AbortSignal): Promise<void> {
  const { db } = needs
  const now = needs.clock.now()
  const ago = (ms: number) => (now - ms) as UnixMs
  await forgetChallenges(db, ago(marginMs))
  await forgetSessions(db, ago(sessionsMs))
  await forgetBuckets(db, ago(marginMs))
  for (let last = ''; !signal?.aborted; ) {
    const rows = await db.rows<{ merchant: Wallet }>(listMerchants, [last, merchantsPerStep])
    const merchants = rows.map(({ merchant }) => merchant)
    await forgetKeptAnswers(db, merchants, ago(answersMs))
    await db.run(forgetRequests, [merchants, makeId(ago(requestsMs), { bytes: (n) => new Uint8Array(n) })])
    const next = merchants.at(-1)
    if (next === undefined || merchants.length < merchantsPerStep) return
    last = next
  }
}

const listMerchants = {
  name: 'list-merchants-after',
  text: 'SELECT merchant FROM merchant WHERE merchant > $1 ORDER BY merchant LIMIT $2',
}

/** Ids begin with their time, so what is older than the first id of a moment is older than the moment. */
const forgetRequests = {
  name: 'forget-request-lines',
  limitMs: longStatementLimitMs,
  text: 'DELETE FROM request_log WHERE merchant = ANY($1::text[]) AND id < $2',
}
