import type { MemberKey } from '@sluice/protocol/api/access.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { named, text, texts } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

/** The keys in force that a member made; their subscriptions stay as they are until the transaction ends. */
export async function listKeysMadeBy(tx: Database, merchant: Wallet, wallet: Wallet): Promise<MemberKey[]> {
  return tx.rows(list({ merchant, wallet }))
}

/** Revokes keys, and with them each subscription that has none left. */
export async function revokeKeys(
  tx: Database,
  merchant: Wallet,
  keys: readonly Pick<MemberKey, 'id' | 'subscriptionId'>[],
  at: UnixMs,
): Promise<void> {
  if (keys.length === 0) return
  await tx.run(revoke({ merchant, each: keys, at }))
  await tx.run(revokeEmpty({ merchant, each: keys, at }))
}

/** Makes somebody else answer for keys. */
export async function adoptKeys(
  tx: Database,
  merchant: Wallet,
  keys: readonly Pick<MemberKey, 'id'>[],
  by: Wallet,
): Promise<void> {
  if (keys.length > 0) await tx.run(adopt({ merchant, each: keys, by }))
}

const list = statement({
  name: 'list-keys-made-by',
  reads: {
    id: text(),
    slot: text<MemberKey['slot']>(),
    hint: text(),
    subscriptionId: text(),
    subscriptionName: named('name', text()),
    scopes: texts<MemberKey['scopes'][number]>(),
  },
  text: `SELECT k.id, k.slot, k.hint, k.subscription_id, s.name, s.scopes
    FROM api_key k JOIN subscription s ON s.merchant = k.merchant AND s.id = k.subscription_id
    WHERE k.merchant = :merchant AND k.made_by = :wallet AND k.revoked_at IS NULL AND s.revoked_at IS NULL
    ORDER BY s.created_at, s.id, k.slot FOR UPDATE OF s`,
})

const revoke = statement({
  name: 'revoke-keys',
  ends: 'each.subscriptionId',
  text: 'UPDATE api_key SET revoked_at = :at WHERE merchant = :merchant AND id = ANY(:each.id) AND revoked_at IS NULL',
})

const revokeEmpty = statement({
  name: 'revoke-empty-subscriptions',
  text: `UPDATE subscription s SET revoked_at = :at
    WHERE s.merchant = :merchant AND s.id = ANY(:each.subscriptionId) AND s.revoked_at IS NULL AND NOT EXISTS (
      SELECT FROM api_key k WHERE k.merchant = :merchant AND k.subscription_id = s.id AND k.revoked_at IS NULL)`,
})

const adopt = statement({
  name: 'adopt-keys',
  text: 'UPDATE api_key SET made_by = :by WHERE merchant = :merchant AND id = ANY(:each.id)',
})
