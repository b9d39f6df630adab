import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { ProviderUnavailable } from '../../onramp/provider.ts'
import type { Providers } from '../../onramp/registry.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { walkItems } from '../../platform/jobs/defer.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import { applyReport, nextLook } from './apply-report.ts'
import { callProvider } from './call-provider.ts'
import type { ReceiveNeeds } from './receive-event.ts'
import { reportIfOverdue } from './report-delivery.ts'
import { listDuePlaces, listSessions, postponeLook, type SessionPlace } from './store.ts'

const batchSize = 50
const hourMs = 3_600_000
const outagePauseMs = 5 * 60_000
/** A provider that was removed from the configuration may be added again within this time. */
const longestAbsenceMs = 60 * 24 * hourMs

export type PollNeeds = ReceiveNeeds & { readonly onramp: Providers }

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
      if (moved > 0) await notifyJob(needs, jobNames.deliverWebhooks)
      return due.length === batchSize ? 'again' : 'done'
    },
  }
}

/**
 * Polls one session. Returns `true` if the merchant must receive a webhook. `away` contains this round's
 * unavailable providers.
 */
async function pollSession(
  needs: PollNeeds,
  place: SessionPlace,
  { away, signal }: { away: Set<string>; signal: AbortSignal },
): Promise<boolean> {
  const { db, clock, onramp } = needs
  const { reference, sessionId, merchant, receiptId, openedAt } = place
  const { session, isNew } = await db.transaction(async (tx) => {
    const found = (await listSessions(tx, merchant, receiptId)).find((each) => each.reference === reference)
    return { session: found, isNew: found !== undefined && (await reportIfOverdue({ ...needs, tx }, found)) }
  })
  if (session?.state === 'settled') {
    await postponeLook(db, place, nextLook(clock.now(), session))
    return isNew
  }
  const provider = onramp.find(place.provider)
  if (!provider || sessionId === undefined) {
    const isOver = provider !== undefined || clock.now() - openedAt > longestAbsenceMs
    await postponeLook(db, place, isOver ? undefined : addMs(clock.now(), hourMs))
    return isNew
  }
  const report = away.has(provider.name)
    ? 'away'
    : await orAway(callProvider(needs, (call) => provider.findSession(sessionId, call), signal))
  if (report === 'away') {
    away.add(provider.name)
    await postponeLook(db, place, addMs(clock.now(), outagePauseMs))
    return isNew
  }
  return db.transaction(async (tx) => {
    const came = report && (await applyReport({ ...needs, tx }, provider, { ...report, reference }, 'poll'))
    if (came === 'moved' || came === 'recorded') return isNew || came === 'moved'
    const after = (await listSessions(tx, merchant, receiptId)).find((each) => each.reference === reference)
    await postponeLook(tx, place, after && nextLook(clock.now(), after))
    return isNew
  })
}

async function orAway<T>(response: Promise<T>): Promise<T | 'away'> {
  return response.catch((error: unknown) => {
    if (error instanceof ProviderUnavailable) return 'away'
    throw error
  })
}
