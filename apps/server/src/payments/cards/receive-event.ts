import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { OnrampProvider, ProviderEvent } from '../../onramp/provider.ts'
import { optional, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { statement } from '../../platform/database/statement.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Log } from '../../platform/log.ts'
import { applyReport } from './apply-report.ts'

export type ReceiveNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

const longestBody = 16 * 1024

/**
 * Applies a verified event exactly once, in one transaction. If processing fails, the event is not stored, so
 * that the provider resends it.
 */
export async function receiveEvent(
  needs: ReceiveNeeds,
  provider: OnrampProvider,
  event: ProviderEvent,
  body: Uint8Array,
): Promise<EventOutcome> {
  const { db, clock, log } = needs
  const about = { provider: provider.name, id: event.id, kind: event.type }
  const outcome = await db.transaction(async (tx) => {
    const { at: happenedAt, report } = event
    const kept = { ...about, sessionId: report?.sessionId, happenedAt, receivedAt: clock.now() }
    if (!(await claimEvent(tx, kept))) return 'unchanged'
    const came = report ? await applyReport({ ...needs, tx }, provider, report, 'event') : 'unknown'
    const became = came === 'moved' || came === 'recorded' ? 'applied' : came
    const isOpen = became === 'unknown' || became === 'unmatched'
    await saveOutcome(tx, about, became, isOpen ? textOf(body) : undefined)
    return came
  })
  log.info({ ...about, outcome }, 'provider event')
  if (outcome === 'moved') await notifyJob(needs, jobNames.deliverWebhooks)
  return outcome === 'moved' || outcome === 'recorded' ? 'applied' : outcome
}

function textOf(body: Uint8Array): string {
  return Buffer.from(body).toString('utf8').slice(0, longestBody).replaceAll('\0', '')
}

type EventOutcome = 'applied' | 'unchanged' | 'unmatched' | 'unknown'

type KeptEvent = {
  readonly provider: string
  readonly id: string
  readonly kind: string
  readonly sessionId: string | undefined
  readonly happenedAt: UnixMs
  readonly receivedAt: UnixMs
}

async function claimEvent(tx: Database, event: KeptEvent): Promise<boolean> {
  return (await tx.run(claim(event))) > 0
}

async function saveOutcome(
  tx: Database,
  { provider, id }: Pick<KeptEvent, 'provider' | 'id'>,
  outcome: EventOutcome,
  body?: string,
): Promise<void> {
  await tx.run(save({ provider, id, outcome, body }))
}

/** Deletes events that the provider will not resend. Unprocessed events are kept longer. */
export async function pruneEvents(db: Database, before: UnixMs, unreadBefore: UnixMs): Promise<void> {
  await db.run(prune({ before, unreadBefore }))
}

export type ListingPlace = {
  readonly provider: string
  readonly openedSince: UnixMs
  readonly listCursor: string | undefined
  readonly beganAt: UnixMs
}

export async function findListing(db: Database, provider: string): Promise<ListingPlace | undefined> {
  return db.row(findPlace({ provider }))
}

export async function saveListing(db: Database, place: ListingPlace): Promise<void> {
  await db.run(savePlace(place))
}

const claim = statement({
  name: 'claim-onramp-event',
  text: `INSERT INTO onramp_event (provider, id, kind, session_id, outcome, happened_at, received_at)
    VALUES (:provider, :id, :kind, :sessionId, 'unchanged', :happenedAt, :receivedAt)
    ON CONFLICT (provider, id) DO NOTHING`,
})

const save = statement({
  name: 'save-onramp-event-outcome',
  text: 'UPDATE onramp_event SET outcome = :outcome, body = :body WHERE provider = :provider AND id = :id',
})

const prune = statement({
  name: 'prune-onramp-events',
  text: `DELETE FROM onramp_event WHERE received_at < :before
    AND (outcome IN ('applied', 'unchanged') OR received_at < :unreadBefore)`,
})

const findPlace = statement({
  name: 'find-onramp-listing',
  text: 'SELECT provider, opened_since, list_cursor, began_at FROM onramp_listing WHERE provider = :provider',
  reads: { provider: text(), openedSince: time(), listCursor: optional(text()), beganAt: time() },
})

const savePlace = statement({
  name: 'save-onramp-listing',
  text: `INSERT INTO onramp_listing (provider, opened_since, list_cursor, began_at)
    VALUES (:provider, :openedSince, :listCursor, :beganAt)
    ON CONFLICT (provider) DO UPDATE SET opened_since = excluded.opened_since, list_cursor = excluded.list_cursor,
      began_at = excluded.began_at`,
})
