import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { ProviderUnavailable } from '../../onramp/provider.ts'
import type { Providers } from '../../onramp/registry.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { walkItems } from '../../platform/jobs/set-aside.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import { applyReport, nextLook } from './apply-report.ts'
import { callProvider } from './call-provider.ts'
import type { ReceiveNeeds } from './receive-event.ts'
import { reportIfOverdue } from './report-delivery.ts'
import { listDuePlaces, listSessions, postponeLook, type SessionPlace } from './store.ts'

const batchSize = 50
const hourMs = 3_600_000
const outagePauseMs = 5 * 60_000
/** A provider that is set up no more may come back so long. */
const longestAbsenceMs = 60 * 24 * hourMs

/** What asking providers needs. */
export type PollNeeds = ReceiveNeeds & { readonly onramp: Providers }

/**
 * The job that asks providers about sessions whose last word has not come: an event that was never sent is applied all
 * the same. It also reports deliveries that are overdue. A session that cannot be asked about is deferred alone.
 */
export function pollSessionsJob(needs: PollNeeds): Job {
  const { db, clock } = needs
  return {
    name: jobNames.pollOnramp,
    everyMs: 15_000,
    async run(signal) {
      const now = clock.now()
      const due = await listDuePlaces(db, now, batchSize)
      let moved = 0
      const away = new Set<string>()
      await walkItems(
        needs,
        due,
        {
          job: jobNames.pollOnramp,
          nameOf: ({ merchant, reference }) => ({ merchant, item: `session ${reference}` }),
          async work(place) {
            if (await pollSession(needs, place, { away, signal })) moved++
          },
          later: (place, at: UnixMs) => postponeLook(db, place, at),
        },
        signal,
      )
      if (moved > 0) await notifyJob(db, jobNames.deliverWebhooks)
      return due.length === batchSize ? 'again' : 'done'
    },
  }
}

/**
 * Looks at one session, whose delivery may be overdue, and asks its provider about it. Returns whether the merchant is
 * owed a webhook. A provider that is away is asked once a round.
 */
async function pollSession(
  needs: PollNeeds,
  place: SessionPlace,
  { away, signal }: { away: Set<string>; signal: AbortSignal },
): Promise<boolean> {
  const { db, clock, onramp } = needs
  const { reference, sessionId, merchant, receiptId, openedAt } = place
  const { session, isNews } = await db.transaction(async (tx) => {
    const found = (await listSessions(tx, merchant, receiptId)).find((each) => each.reference === reference)
    return { session: found, isNews: found !== undefined && (await reportIfOverdue({ ...needs, tx }, found)) }
  })
  if (session?.state === 'settled') {
    await postponeLook(db, place, nextLook(clock.now(), session))
    return isNews
  }
  const provider = onramp.find(place.provider)
  // Its provider is not set up any more, or has not given it an id; the list knows it by its reference.
  if (!provider || sessionId === undefined) {
    const isOver = provider !== undefined || clock.now() - openedAt > longestAbsenceMs
    await postponeLook(db, place, isOver ? undefined : addMs(clock.now(), hourMs))
    return isNews
  }
  const report = away.has(provider.name)
    ? 'away'
    : await orAway(callProvider(needs, (call) => provider.findSession(sessionId, call), signal))
  if (report === 'away') {
    away.add(provider.name)
    await postponeLook(db, place, addMs(clock.now(), outagePauseMs))
    return isNews
  }
  return db.transaction(async (tx) => {
    const came = report && (await applyReport({ ...needs, tx }, provider, { ...report, reference }, 'poll'))
    if (came === 'moved' || came === 'recorded') return isNews || came === 'moved'
    const after = (await listSessions(tx, merchant, receiptId)).find((each) => each.reference === reference)
    await postponeLook(tx, place, after && nextLook(clock.now(), after))
    return isNews
  })
}

/** What a provider answers; its outage is no fault of a session, and no reason to leave other providers alone. */
async function orAway<T>(answer: Promise<T>): Promise<T | 'away'> {
  return answer.catch((error: unknown) => {
    if (error instanceof ProviderUnavailable) return 'away'
    throw error
  })
}
