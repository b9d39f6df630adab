import { createHash } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import { LatelyVerified } from '../../platform/database/degraded-identity.ts'
import type { SubscriptionCaller } from '../caller.ts'
import type { Credentials } from '../credentials.ts'
import type { IdentifiedSession } from '../sessions/identify-session.ts'

/** Whom this process verified in the last five minutes: they still get in while the datastore is away. */
export type Lately = {
  readonly keys: LatelyVerified<SubscriptionCaller>
  readonly sessions: LatelyVerified<IdentifiedSession>
}

/** Nobody yet. */
export function makeLately(needs: { clock: Clock }): Lately {
  return { keys: new LatelyVerified(needs), sessions: new LatelyVerified(needs) }
}

/** A name for everything a request says of who sent it, from which none of it can be learnt. */
export function nameOf(credentials: Credentials): string {
  const { subscriptionKey, apiKey, token, stampedSubscriptionId } = credentials
  const said = JSON.stringify([subscriptionKey, apiKey, token, stampedSubscriptionId])
  return createHash('sha256').update(said).digest('base64')
}
