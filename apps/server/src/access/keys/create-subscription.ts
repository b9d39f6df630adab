import { scopes as allScopes, type Scope } from '@sluice/protocol/api/access.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { invalidInput } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { generateId } from '../../kernel/generate-id.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { Mode } from './api-key.ts'
import { issueKey } from './issue-key.ts'
import { insertSubscription } from './key-store.ts'
import { countActiveSubscriptions } from './subscription-store.ts'

export type NewSubscription = {
  readonly id: string
  readonly primaryKey: string
  readonly secondaryKey: string
}

const maxActiveSubscriptions = 50

/**
 * Creates a subscription with two keys, so that one can be rotated while the other is in use.
 *
 * @throws {ApiError} `invalid_input` if the merchant has 50 active subscriptions.
 */
export async function createSubscription(
  needs: { db: Database; clock: Clock; random: Random; secrets: Secrets },
  merchant: Wallet,
  input: {
    name: string
    mode: Mode
    scopes?: readonly Scope[] | undefined
    /** Member who creates the subscription; absent if the command line on the server creates it. */
    madeBy?: Wallet | undefined
  },
): Promise<NewSubscription> {
  const createdAt = needs.clock.now()
  const id = generateId(createdAt, needs.random)
  const { name, mode, madeBy } = input
  const scopes = allScopes.filter((scope) => !input.scopes || input.scopes.includes(scope))
  return needs.db.transaction(async (tx) => {
    if ((await countActiveSubscriptions(tx, merchant)) >= maxActiveSubscriptions)
      throw invalidInput({
        path: '',
        message: `A merchant has at most ${maxActiveSubscriptions} active subscriptions; revoke one first`,
      })
    await insertSubscription(tx, { merchant, id, name, scopes, mode, createdAt })
    const issued = { subscriptionId: id, mode, madeBy }
    const primaryKey = await issueKey(needs, tx, merchant, { ...issued, slot: 'primary' })
    const secondaryKey = await issueKey(needs, tx, merchant, { ...issued, slot: 'secondary' })
    return { id, primaryKey, secondaryKey }
  })
}
