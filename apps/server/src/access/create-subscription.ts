import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import { makeId } from '../kernel/make-id.ts'
import type { Random } from '../kernel/random.ts'
import type { Database } from '../platform/database.ts'
import { apiKeyContext, type Secrets } from '../platform/secrets.ts'
import { hashApiKey, hintOfApiKey, type Mode, makeApiKey } from './api-key.ts'
import { scopes as allScopes, type Scope } from './caller.ts'
import { insertApiKey, insertSubscription } from './store.ts'

/** A subscription just made. The keys are shown here and never again. */
export type NewSubscription = {
  readonly id: string
  readonly primaryKey: string
  readonly secondaryKey: string
}

/** Makes a subscription of the merchant with both its keys, so that one can be rotated while the other works. */
export async function createSubscription(
  needs: { db: Database; clock: Clock; random: Random; secrets: Secrets },
  merchant: Wallet,
  input: { name: string; mode: Mode; scopes?: readonly Scope[] },
): Promise<NewSubscription> {
  const { clock, random } = needs
  const now = clock.now()
  const id = makeId(now, random)
  const make = (slot: 'primary' | 'secondary') => {
    const key = makeApiKey(input.mode, random)
    const keyId = makeId(now, random)
    const sealed = needs.secrets.seal(key, apiKeyContext(merchant, keyId))
    return {
      merchant,
      id: keyId,
      subscriptionId: id,
      slot,
      key,
      sealed,
      hint: hintOfApiKey(key),
      hash: hashApiKey(key),
    }
  }
  const primary = make('primary')
  const secondary = make('secondary')
  await needs.db.transaction(async (tx) => {
    const { name, mode, scopes = allScopes } = input
    await insertSubscription(tx, { merchant, id, name, scopes, mode, createdAt: now })
    await insertApiKey(tx, { ...primary, createdAt: now })
    await insertApiKey(tx, { ...secondary, createdAt: now })
  })
  return { id, primaryKey: primary.key, secondaryKey: secondary.key }
}
