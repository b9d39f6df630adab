import type { MemberKey } from '@sluice/protocol/api/access.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../../platform/database/database.ts'

/** The keys in force that a member made; their subscriptions stay as they are until the transaction ends. */
export async function listKeysMadeBy(tx: Database, merchant: Wallet, wallet: Wallet): Promise<MemberKey[]> {
  const rows = await tx.rows<KeyRow>(list, [merchant, wallet])
  return rows.map((row) => ({
    id: row.id,
    slot: row.slot,
    hint: row.hint,
    subscriptionId: row.subscription_id,
    subscriptionName: row.name,
    scopes: row.scopes,
  }))
}

/** Revokes keys, and with them each subscription that has none left. */
export async function revokeKeys(
  tx: Database,
  merchant: Wallet,
  keys: readonly Pick<MemberKey, 'id' | 'subscriptionId'>[],
  at: UnixMs,
): Promise<void> {
  if (keys.length === 0) return
  await tx.run(revoke, [merchant, keys.map(({ id }) => id), at])
  await tx.run(revokeEmpty, [merchant, keys.map(({ subscriptionId }) => subscriptionId), at])
}

/** Makes somebody else answer for keys. */
export async function adoptKeys(
  tx: Database,
  merchant: Wallet,
  keys: readonly Pick<MemberKey, 'id'>[],
  by: Wallet,
): Promise<void> {
  if (keys.length > 0) await tx.run(adopt, [merchant, keys.map(({ id }) => id), by])
}

type KeyRow = {
  id: string
  slot: MemberKey['slot']
  hint: string
  subscription_id: string
  name: string
  scopes: MemberKey['scopes']
}

const list = {
  name: 'list-keys-made-by',
  text: `SELECT k.id, k.slot, k.hint, k.subscription_id, s.name, s.scopes
    FROM api_key k JOIN subscription s ON s.merchant = k.merchant AND s.id = k.subscription_id
    WHERE k.merchant = $1 AND k.made_by = $2 AND k.revoked_at IS NULL AND s.revoked_at IS NULL
    ORDER BY s.created_at, s.id, k.slot FOR UPDATE OF s`,
}

const revoke = {
  name: 'revoke-keys',
  text: 'UPDATE api_key SET revoked_at = $3 WHERE merchant = $1 AND id = ANY($2) AND revoked_at IS NULL',
}

const revokeEmpty = {
  name: 'revoke-empty-subscriptions',
  text: `UPDATE subscription s SET revoked_at = $3
    WHERE s.merchant = $1 AND s.id = ANY($2) AND s.revoked_at IS NULL AND NOT EXISTS (
      SELECT FROM api_key k WHERE k.merchant = $1 AND k.subscription_id = s.id AND k.revoked_at IS NULL)`,
}

const adopt = {
  name: 'adopt-keys',
  text: 'UPDATE api_key SET made_by = $3 WHERE merchant = $1 AND id = ANY($2)',
}
