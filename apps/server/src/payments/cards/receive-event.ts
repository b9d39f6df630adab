import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { OnrampProvider, ProviderEvent } from '../../onramp/provider.ts'
import type { Database } from '../../platform/database/database.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Log } from '../../platform/log.ts'
import { applyReport } from './apply-report.ts'
import { claimEvent, type EventOutcome, saveOutcome } from './event-store.ts'

/** What an event needs to be applied. */
export type ReceiveNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

const longestBody = 16 * 1024

/**
 * Applies a verified event once: taken, applied and noted in one transaction. Sent again, at the same moment too, it
 * changes nothing; what could not be applied is not taken, so that the provider sends it again.
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
  log.info({ ...about, outcome }, 'a provider event')
  if (outcome === 'moved') await notifyJob(db, jobNames.deliverWebhooks)
  return outcome === 'moved' || outcome === 'recorded' ? 'applied' : outcome
}

/** A body as text that PostgreSQL takes. */
function textOf(body: Uint8Array): string {
  return Buffer.from(body).toString('utf8').slice(0, longestBody).replaceAll('\0', '')
}
