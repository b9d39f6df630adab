import { addMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { signEvent } from './signed-event.ts'
import { deferEvent, dropEvent, listDueEvents, type WaitingEvent } from './store.ts'

/** What sending events needs. */
export type SendNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly outbound: Outbound
  /** Where the service takes the sandbox's events. */
  readonly eventsUrl: string
  readonly secret: string
}

const timeoutMs = 5_000
const eventsPerRound = 50
const longestPauseMs = 3_600_000
/** Three days, about: as long as real providers go on. */
const maxTries = 80

/**
 * Sends the events that are due, over HTTP as any provider would. What is not answered with 2xx is sent again, byte
 * for byte, after a pause that doubles; what was sent when the process was killed is sent again, too.
 */
export async function sendEvents(needs: SendNeeds): Promise<void> {
  const { db, clock } = needs
  for (const event of await listDueEvents(db, clock.now(), eventsPerRound)) {
    const isTaken = await send(needs, event)
    if (isTaken || event.tries >= maxTries) await dropEvent(db, event.id)
    else
      await deferEvent(
        db,
        event,
        addMs(clock.now(), Math.min(longestPauseMs, 500 * 2 ** Math.min(event.tries, 20))),
      )
  }
}

async function send(
  { outbound, clock, log, eventsUrl, secret }: SendNeeds,
  event: WaitingEvent,
): Promise<boolean> {
  const outcome = await outbound.request({
    method: 'POST',
    url: eventsUrl,
    headers: { 'content-type': 'application/json', ...signEvent(secret, event.body, clock.now()) },
    body: event.body,
    timeoutMs,
    maxResponseBytes: 16 * 1024,
    isBodyOptional: true,
  })
  if (outcome.kind === 'answer' && outcome.status >= 200 && outcome.status < 300) return true
  const answer = outcome.kind === 'answer' ? { status: outcome.status } : { fault: outcome.fault }
  log.info(
    { event: event.id, tries: event.tries + 1, ...answer },
    'an event of the card sandbox was not taken',
  )
  return false
}
