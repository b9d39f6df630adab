import { createSubscription } from '../access/keys/create-subscription.ts'
import { findSigningKey } from '../access/keys/key-store.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import { ensureMerchant } from '../merchants/merchant-store.ts'
import type { Database } from '../platform/database/database.ts'
import { apiKeyContext, type Secrets } from '../platform/secrets.ts'
import { demoShop, seedShop } from './demo-shop.ts'
import type { LocalWallet } from './master-key.ts'

/**
 * The demo merchant with a shop and a subscription of all scopes, made on the first start. Safe to repeat.
 *
 * @returns its primary key: it is sealed in the database and opened with the master key, so it needs
 * no second place to be kept.
 */
export async function seedMerchant(
  needs: { db: Database; clock: Clock; random: Random; secrets: Secrets },
  merchant: LocalWallet,
): Promise<{ subscriptionKey: string }> {
  await ensureMerchant(needs, merchant.address, demoShop.name)
  await seedShop(needs, merchant.address)
  const found = await findSigningKey(needs.db, merchant.address)
  if (!found) {
    const made = await createSubscription(needs, merchant.address, {
      name: 'Local development',
      mode: 'test',
    })
    return { subscriptionKey: made.primaryKey }
  }
  try {
    const subscriptionKey = needs.secrets.open(found.sealedKey, apiKeyContext(merchant.address, found.keyId))
    return { subscriptionKey }
  } catch (cause) {
    throw new Error(
      'the keys in the database were encrypted with another master key: set SLUICE_MASTER_KEY to that one',
      { cause },
    )
  }
}
