import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { type OnrampProvider, ProviderUnavailable, type SessionReport } from '../../onramp/provider.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { walkItems } from '../../platform/jobs/defer.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import { applyReport } from './apply-report.ts'
import { callProvider } from './call-provider.ts'
import type { PollNeeds } from './poll-sessions.ts'
import { findListing, type ListingPlace, pruneEvents, saveListing } from './receive-event.ts'
import { findPlace, pruneUnopened, type SessionPlace } from './store.ts'

const dayMs = 24 * 3_600_000
const everyMs = 10 * 60_000
/** Overlap of each pass with the previous one, so that a recent session is compared several times. */
const overlapMs = 2 * dayMs
const pagesPerRound = 10
const keptMs = 30 * dayMs

/**
 * Creates the job that compares the sessions with the provider's list and finds lost responses and events. It
 * also prunes old rows.
 */
export function reconcileSessionsJob(needs: PollNeeds): Job {
  const { db, clock, onramp } = needs
  return {
    name: jobNames.reconcileOnramp,
    everyMs,
    async run(signal) {
      let isOpen = false
      for (const provider of onramp.all)
        if (await comparePages(needs, provider, signal).catch(orNothing(needs, provider))) isOpen = true
      const now = clock.now()
      await pruneEvents(db, addMs(now, -keptMs), addMs(now, -4 * keptMs))
      await pruneUnopened(db, addMs(now, -keptMs))
      return isOpen && !signal.aborted ? 'again' : 'done'
    },
  }
}

async function comparePages(
  needs: PollNeeds,
  provider: OnrampProvider,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, clock } = needs
  const now = clock.now()
  let place: ListingPlace = (await findListing(db, provider.name)) ?? begin(provider, now, now)
  for (let pages = 0; pages < pagesPerRound && !signal.aborted; pages++) {
    const { openedSince, listCursor: cursor } = place
    const page = await callProvider(
      needs,
      (call) => provider.listSessions({ openedSince, cursor }, call),
      signal,
    )
    await compareAll(needs, provider, page.sessions)
    const { nextCursor } = page
    place = nextCursor ? { ...place, listCursor: nextCursor } : begin(provider, place.beganAt, now)
    await saveListing(db, place)
    if (!nextCursor) return false
  }
  return true
}

function orNothing({ log }: PollNeeds, { name: provider }: OnrampProvider) {
  return (error: unknown): false => {
    if (!(error instanceof ProviderUnavailable)) throw error
    log.warn({ provider, err: error }, 'the sessions of a provider could not be reconciled; retrying')
    return false
  }
}

function begin({ name: provider }: OnrampProvider, last: UnixMs, now: UnixMs): ListingPlace {
  return { provider, openedSince: addMs(last, -overlapMs), listCursor: undefined, beganAt: now }
}

type Found = { readonly place: SessionPlace; readonly report: SessionReport }

async function compareAll(
  needs: PollNeeds,
  provider: OnrampProvider,
  reports: readonly SessionReport[],
): Promise<void> {
  const { db } = needs
  const found: Found[] = []
  for (const report of reports) {
    const place = await findPlace(db, provider.name, report)
    if (place) found.push({ place, report })
  }
  let moved = 0
  await walkItems(needs, found, {
    job: jobNames.reconcileOnramp,
    nameOf: ({ place: { merchant, reference } }) => ({ merchant, item: `session ${reference}` }),
    async work({ report }) {
      const came = await db.transaction((tx) => applyReport({ ...needs, tx }, provider, report, 'list'))
      if (came === 'moved') moved++
    },
  })
  if (moved > 0) await notifyJob(needs, jobNames.deliverWebhooks)
}
