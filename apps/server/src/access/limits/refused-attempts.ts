import type { UnixMs } from '@sluice/protocol/time.ts'
import { type Clock, isAhead } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Log } from '../../platform/log.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { appendAudit } from '../audit/append-audit.ts'
import { limitAddress } from '../rate-rules.ts'

export type RefusedAction = 'login.failed' | 'key.refused' | 'session.refused'

export type RefusedNeeds = {
  readonly db: Pick<Database, 'transaction'>
  readonly clock: Clock
  readonly secrets: Secrets
  readonly log: Log
}

const flushEveryMs = 10_000
const longestGapMs = 60 * 60_000
const namesKept = 10

type Counts = {
  attempts: number
  firstAt: UnixMs
  lastAt: UnixMs
  readonly addresses: Map<string, number>
  readonly subjects: Map<string, number>
}

/**
 * Summarizes failed logins and rejected credentials in the platform's audit log.
 *
 * Writes one entry per kind: at once after a quiet period, then at doubling intervals up to an hour. A flood
 * therefore adds about thirty entries a day per kind and process.
 */
export class RefusedAttempts {
  readonly #needs: RefusedNeeds
  readonly #allCounts = new Map<RefusedAction, Counts>()
  readonly #pace = new Map<RefusedAction, { gapMs: number; dueAt: number }>()

  constructor(needs: RefusedNeeds) {
    this.#needs = needs
  }

  /**
   * Counts an attempt.
   *
   * @param subject - Target of the attempt, if it may be logged.
   */
  note(action: RefusedAction, address: string, subject: string | undefined): void {
    const now = this.#needs.clock.now()
    const fresh = { attempts: 0, firstAt: now, addresses: new Map(), subjects: new Map() }
    const counts: Counts = this.#allCounts.get(action) ?? { ...fresh, lastAt: now }
    this.#allCounts.set(action, counts)
    counts.attempts += 1
    counts.lastAt = now
    count(counts.addresses, limitAddress(address))
    if (subject !== undefined) count(counts.subjects, subject)
  }

  async flush(which: 'due' | 'all' = 'due'): Promise<void> {
    const now = this.#needs.clock.now()
    for (const [action, counts] of [...this.#allCounts]) {
      const pace = this.#pace.get(action)
      if (which === 'due' && pace && isAhead(pace.dueAt, now, pace.gapMs)) continue
      this.#allCounts.delete(action)
      try {
        await this.#write(action, counts, now)
      } catch (error) {
        this.#giveBack(action, counts)
        throw error
      }
      const isQuiet = !pace || now - pace.dueAt >= pace.gapMs
      const gapMs = isQuiet ? flushEveryMs : Math.min(pace.gapMs * 2, longestGapMs)
      this.#pace.set(action, { gapMs, dueAt: now + gapMs })
    }
  }

  makeJob(): Job {
    return {
      name: jobNames.auditRefusedAttempts,
      everyMs: flushEveryMs,
      run: async () => {
        await this.flush()
        return 'done'
      },
      drain: () =>
        this.flush('all').catch((error) =>
          this.#needs.log.warn(
            { err: error },
            'rejected login attempts could not be recorded in the audit log',
          ),
        ),
    }
  }

  async #write(action: RefusedAction, counts: Counts, at: UnixMs): Promise<void> {
    const { db, secrets } = this.#needs
    const { attempts, firstAt, lastAt, addresses, subjects } = counts
    const [subject = 'unknown'] = subjects.keys()
    await db.transaction((tx) =>
      appendAudit(
        { tx, secrets },
        {
          merchant: 'platform',
          at,
          actor: 'nobody',
          action,
          subject: subjects.size > 1 ? 'several' : subject,
          details: {
            attempts,
            firstAt,
            lastAt,
            addresses: Object.fromEntries(addresses),
            subjects: Object.fromEntries(subjects),
          },
        },
      ),
    )
  }

  #giveBack(action: RefusedAction, counts: Counts): void {
    const since = this.#allCounts.get(action)
    if (since) {
      counts.attempts += since.attempts
      counts.lastAt = since.lastAt
      for (const name of ['addresses', 'subjects'] as const)
        for (const [key, times] of since[name]) count(counts[name], key, times)
    }
    this.#allCounts.set(action, counts)
  }
}

/** Counts the first ten names separately and the rest together, to bound the entry's size. */
function count(names: Map<string, number>, name: string, times = 1): void {
  const kept = names.has(name) || names.size < namesKept ? name : 'others'
  names.set(kept, (names.get(kept) ?? 0) + times)
}
