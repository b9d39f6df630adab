import type { Scope } from '@sluice/protocol/api/access.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { issueKey } from './issue-key.ts'
import { lockSubscription, revokeKey, revokeSubscription } from './subscription-store.ts'

/**
 * Replaces the key in a slot. The former key is revoked at once, and the new key is shown once.
 *
 * Webhooks of receipts created with the former key are still signed with that key.
 *
 * @param judge - Rejects if the caller may not grant the scopes of the new key.
 * @throws {ApiError} `not_found` if the merchant has no such active subscription.
 */
export async function rotateKey(
  needs: { db: Database; clock: Clock; random: Random; secrets: Secrets },
  merchant: Wallet,
  key: {
    subscriptionId: string
    slot: 'primary' | 'secondary'
    madeBy?: Wallet | undefined
  },
  evaluate: (scopes: readonly Scope[]) => Promise<unknown> = async () => {},
): Promise<string> {
  return needs.db.transaction(async (tx) => {
    const subscription = await lockSubscription(tx, merchant, key.subscriptionId)
    if (!subscription || subscription.isRevoked) throw notFound()
    await evaluate(subscription.scopes)
    await revokeKey(tx, merchant, key, needs.clock.now())
    return issueKey(needs, tx, merchant, { ...key, mode: subscription.mode })
  })
}

/**
 * Ends a subscription and both its keys. Returns `false` if it had already ended.
 *
 * @throws {ApiError} `not_found` if the merchant has no subscription with this id.
 */
export async function endSubscription(
  needs: { db: Database; clock: Clock },
  merchant: Wallet,
  id: string,
): Promise<boolean> {
  return needs.db.transaction(async (tx) => {
    const subscription = await lockSubscription(tx, merchant, id)
    if (!subscription) throw notFound()
    if (subscription.isRevoked) return false
    await revokeSubscription(tx, merchant, id, needs.clock.now())
    return true
  })
}

function notFound(): ApiError {
  return new ApiError('not_found', 'Subscription not found')
}
