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

export type KeyNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly secrets: Secrets
  readonly gate: Gate
  readonly cache: Cache
  readonly lastUsed: LastUsed
}

/**
 * Returns the subscription of the request's key, or `undefined` if no key was sent.
 *
 * A revoked key stops working at once in this process, and within a second on every replica even without a
 * notification. Unknown keys are never cached.
 *
 * @param name - Hash of all credentials of the request.
 * @throws {BadCredential} for an invalid key, or two keys that differ.
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

/** Trusts the gateway's subscription. The forwarded key, or else the primary key, signs the webhooks. */
async function findStamped(
  needs: { db: Database; secrets: Secrets },
  subscriptionId: string,
  key: string | undefined,
): Promise<KeyHolder> {
  const primary = await findPrimaryHolder(needs.db, subscriptionId)
  if (!primary) throw new BadCredential('The gateway sent a subscription that is not active')
  if (key === undefined) return primary
  const hash = hashApiKey(key)
  if (isApiKey(key)) {
    const own = await findKeyHolder(needs.db, hash)
    if (own?.subscriptionId !== subscriptionId)
      throw new BadCredential('The subscription key is invalid or was revoked')
    return own
  }
  const keyId = `gateway-${hash.slice(0, 32)}`
  return {
    ...primary,
    keyId,
    encryptedKey: needs.secrets.encrypt(key, apiKeyContext(primary.merchant, keyId)),
  }
}

/** Returns the hint of a rejected key, or `undefined` if it does not have the form of a key. */
export function describeKey({ subscriptionKey, apiKey }: Credentials): string | undefined {
  const key = subscriptionKey ?? apiKey
  return key !== undefined && isApiKey(key) ? hintOfApiKey(key) : undefined
}

function sentKey({ subscriptionKey, apiKey }: Credentials): string | undefined {
  if (subscriptionKey !== undefined && apiKey !== undefined && subscriptionKey !== apiKey) {
    throw new BadCredential('Ocp-Apim-Subscription-Key and x-api-key are different; send only one')
  }
  return subscriptionKey ?? apiKey
}
