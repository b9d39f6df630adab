import { hash } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import { RecentlyVerified } from '../../platform/database/recently-verified.ts'
import type { Changes } from '../../platform/facts/changes.ts'
import type { SubscriptionCaller } from '../caller.ts'
import type { Credentials } from '../credentials.ts'
import type { IdentifiedSession } from '../sessions/identify-session.ts'

/** Whom this process verified in the last five minutes: they still get in while the datastore is away. */
export type RecentCallers = {
  readonly keys: RecentlyVerified<SubscriptionCaller>
  readonly sessions: RecentlyVerified<IdentifiedSession>
}

/** Nobody yet. */
export function makeRecentCallers(needs: { clock: Clock; changes: Changes }): RecentCallers {
  return {
    keys: new RecentlyVerified(needs, ({ subscriptionId }) => [subscriptionId]),
    sessions: new RecentlyVerified(needs, ({ caller }) => [caller.sessionId, caller.wallet]),
  }
}

/** A name for everything a request says of who sent it, from which none of it can be learnt. */
export function nameOf(credentials: Credentials): string {
  const { subscriptionKey, apiKey, token, stampedSubscriptionId } = credentials
  const said = JSON.stringify([subscriptionKey, apiKey, token, stampedSubscriptionId])
  return hash('sha256', said, 'base64')
}
