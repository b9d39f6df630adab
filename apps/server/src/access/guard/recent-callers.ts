import { hash } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import type { Changes } from '../../platform/cache/changes.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import type { KnownCaller, SubscriptionCaller } from '../caller.ts'
import type { Credentials } from '../credentials.ts'
import type { IdentifiedSession } from '../sessions/identify-session.ts'
import { findEnded } from './find-ended.ts'
import { RecentlyVerified } from './recently-verified.ts'

/** What remembering callers leans on. */
type RecentNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly changes: Changes
  readonly log: Log
}

/** What a statement looks up costs the square of them. */
const askedAtOnce = 100

/** Whom this process verified in the last five minutes: they still get in while the datastore is away. */
export type RecentCallers = {
  readonly keys: RecentlyVerified<SubscriptionCaller>
  readonly sessions: RecentlyVerified<IdentifiedSession>
}

/** Nobody yet. */
export function makeRecentCallers(needs: RecentNeeds): RecentCallers {
  return {
    keys: recently(needs, (caller) => caller),
    sessions: recently(needs, ({ caller }) => caller),
  }
}

function recently<T extends object>(needs: RecentNeeds, callerOf: (value: T) => KnownCaller) {
  return new RecentlyVerified<T>(needs, {
    idsOf: (value) => idsOf(callerOf(value)),
    async findEnded(values) {
      const ended = await findAllEnded(needs, new Set(values.map(callerOf)))
      return new Set(values.filter((value) => ended.has(callerOf(value))))
    },
  })
}

/** As `findEnded`, some at a time. */
async function findAllEnded(
  needs: RecentNeeds,
  callers: ReadonlySet<KnownCaller>,
): Promise<ReadonlySet<KnownCaller>> {
  const all = [...callers]
  const found = new Set<KnownCaller>()
  for (let from = 0; from < all.length; from += askedAtOnce)
    for (const ended of await findEnded(needs, all.slice(from, from + askedAtOnce))) found.add(ended)
  return found
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
