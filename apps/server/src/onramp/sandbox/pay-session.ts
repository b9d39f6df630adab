import type { Clock } from '../../kernel/clock.ts'
import { generateId } from '../../kernel/generate-id.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { payIn, type SandboxSession } from './session.ts'
import { writeEvent } from './signed-event.ts'
import { insertEvent, lockSession, saveSession } from './store.ts'
import type { TestOutcome } from './test-cards.ts'

export type PayNeeds = { readonly db: Database; readonly clock: Clock; readonly random: Random }

/**
 * Makes a payment in a session. Has no effect if the session is already paid, because a form can be submitted
 * twice.
 */
export async function paySession(
  needs: PayNeeds,
  id: string,
  outcome: TestOutcome,
): Promise<SandboxSession | undefined> {
  const { clock, random } = needs
  const requestId = `req_${generateId(clock.now(), random)}`
  const session = await changeSession(needs, id, (before, now) => payIn(before, outcome, { now, requestId }))
  if (session) await notifyJob(needs, jobNames.runSandbox)
  return session
}

export async function changeSession(
  { db, clock, random }: PayNeeds,
  id: string,
  change: (before: SandboxSession, now: SandboxSession['stateAt']) => SandboxSession | undefined,
): Promise<SandboxSession | undefined> {
  return db.transaction(async (tx) => {
    const before = await lockSession(tx, id)
    if (!before) return undefined
    const now = clock.now()
    const after = change(before, now)
    if (!after) return before
    await saveSession(tx, after)
    const event = `evt_${generateId(now, random)}`
    await insertEvent(tx, { id: event, session: id, body: writeEvent(event, after), tries: 0, dueAt: now })
    return after
  })
}
