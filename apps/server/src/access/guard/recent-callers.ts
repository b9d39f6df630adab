import { hash } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import type { Changes } from '../../platform/facts/changes.ts'
import type { KnownCaller, SubscriptionCaller } from '../caller.ts'
import type { Credentials } from '../credentials.ts'
import type { IdentifiedSession } from '../sessions/identify-session.ts'
import { RecentlyVerified } from './recently-verified.ts'

/** Whom this process verified in the last five minutes: they still get in while the datastore is away. */
export type RecentCallers = {
  readonly keys: RecentlyVerified<SubscriptionCaller>
  readonly sessions: RecentlyVerified<IdentifiedSession>
}

/** Nobody yet. */
export function makeRecentCallers(needs: { clock: Clock; changes: Changes }): RecentCallers {
  return {
    keys: new RecentlyVerified(needs, (caller) => idsOf(caller)),
    sessions: new RecentlyVerified(needs, ({ caller }) => idsOf(caller)),
  }
}

/** By what ids those may be told of who are let in no more, a caller among them. */
export function idsOf(caller: KnownCaller): readonly string[] {
  return caller.kind === 'subscription' ? [caller.subscriptionId] : [caller.sessionId, caller.wallet]
}

/** A name for everything a request says of who sent it, from which none of it can be learnt. */
export function nameOf(credentials: Credentials): string {
  const { subscriptionKey, apiKey, token, stampedSubscriptionId } = credentials
  const said = JSON.stringify([subscriptionKey, apiKey, token, stampedSubscriptionId])
  return hash('sha256', said, 'base64')
}
