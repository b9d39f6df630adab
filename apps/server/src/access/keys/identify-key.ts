import type { Clock } from '../../kernel/clock.ts'
import type { Cache } from '../../platform/cache/cache.ts'
import type { Database } from '../../platform/database/database.ts'
import { apiKeyContext, type Secrets } from '../../platform/secrets.ts'
import type { SubscriptionCaller } from '../caller.ts'
import { BadCredential, type Credentials } from '../credentials.ts'
import type { Gate } from '../sessions/gate.ts'
import { hashApiKey, hintOfApiKey, isApiKey } from './api-key.ts'
import { findKeyHolder, findPrimaryHolder, type KeyHolder } from './key-store.ts'
import type { LastUsed } from './last-used.ts'

/** What telling who sent a key leans on. */
export type KeyNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly secrets: Secrets
  readonly gate: Gate
  readonly cache: Cache
  readonly lastUsed: LastUsed
}

/**
 * The subscription a request's key belongs to, `undefined` where none was sent.
 *
 * A key that is revoked is good for nothing at once where that is done, and within a second on every replica: who was
 * let in is asked again that soon, whether a notification came or not. A key that is unknown is asked for each time.
 *
 * @param name - Of everything that was said of who sends it.
 * @throws {BadCredential} for a key that is not valid, and for two that differ.
 */
export async function identifyKey(
  needs: KeyNeeds,
  credentials: Credentials,
  name: string,
): Promise<SubscriptionCaller | undefined> {
  const caller = await needs.cache.get(`key ${name}`, () => findCaller(needs, credentials))
  if (caller) needs.lastUsed.note(caller, needs.clock.now())
  return caller
}

async function findCaller(
  needs: KeyNeeds,
  credentials: Credentials,
): Promise<SubscriptionCaller | undefined> {
  const holder = await findHolder(needs, credentials)
  return holder && { kind: 'subscription', ...holder }
}

async function findHolder(
  needs: { db: Database; secrets: Secrets; gate: Gate },
  credentials: Credentials,
): Promise<KeyHolder | undefined> {
  const key = sentKey(credentials)
  const stamped = needs.gate.isExternal ? credentials.stampedSubscriptionId : undefined
  if (stamped !== undefined) return findStamped(needs, stamped, key)
  if (key === undefined) return undefined
  const holder = isApiKey(key) ? await findKeyHolder(needs.db, hashApiKey(key)) : undefined
  if (!holder) throw new BadCredential('The subscription key is invalid or was revoked')
  return holder
}

/**
 * What the outside gateway says, which knows the edge secret. The key it forwards signs the webhooks;
 * where it forwards none, the subscription's stored primary does.
 */
async function findStamped(
  needs: { db: Database; secrets: Secrets },
  subscriptionId: string,
  key: string | undefined,
): Promise<KeyHolder> {
  const primary = await findPrimaryHolder(needs.db, subscriptionId)
  if (!primary) throw new BadCredential('The gateway names a subscription that is not active here')
  if (key === undefined) return primary
  const hash = hashApiKey(key)
  if (isApiKey(key)) {
    const own = await findKeyHolder(needs.db, hash)
    if (own?.subscriptionId !== subscriptionId)
      throw new BadCredential('The subscription key is invalid or was revoked')
    return own
  }
  const keyId = `gateway-${hash.slice(0, 32)}`
  return { ...primary, keyId, sealedKey: needs.secrets.seal(key, apiKeyContext(primary.merchant, keyId)) }
}

/** What may be written down of a key that was refused: nothing of what has not the form of one of ours. */
export function describeKey({ subscriptionKey, apiKey }: Credentials): string | undefined {
  const key = subscriptionKey ?? apiKey
  return key !== undefined && isApiKey(key) ? hintOfApiKey(key) : undefined
}

function sentKey({ subscriptionKey, apiKey }: Credentials): string | undefined {
  if (subscriptionKey !== undefined && apiKey !== undefined && subscriptionKey !== apiKey) {
    throw new BadCredential('Ocp-Apim-Subscription-Key and x-api-key were both sent and differ')
  }
  return subscriptionKey ?? apiKey
}
