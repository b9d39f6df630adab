import type { SubscriptionView } from '@sluice/protocol/api/access.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../../platform/database/database.ts'

/** A merchant's subscriptions as the API shows them, oldest first; of one id where it is given. */
export async function listSubscriptions(
  db: Database,
  merchant: Wallet,
  id?: string,
): Promise<SubscriptionView[]> {
  const [subscriptions, keys] = await Promise.all([
    db.rows<SubscriptionRow>(list, [merchant, id ?? null]),
    db.rows<KeyRow>(listKeys, [merchant, id ?? null]),
  ])
  return subscriptions.map((row) => ({
    id: row.id,
    merchantWallet: merchant,
    name: row.name,
    scopes: row.scopes,
    mode: row.mode,
    createdAt: Number(row.created_at),
    lastUsedAt: row.last_used_at === null ? null : Number(row.last_used_at),
    revokedAt: row.revoked_at === null ? null : Number(row.revoked_at),
    keys: keys
      .filter((key) => key.subscription_id === row.id && row.revoked_at === null)
      .map((key) => ({
        id: key.id,
        slot: key.slot,
        hint: key.hint,
        createdAt: Number(key.created_at),
        madeBy: key.made_by,
      })),
  }))
}

/** A subscription that is to be changed; nobody else changes it until the transaction ends. */
export async function lockSubscription(
  tx: Database,
  merchant: Wallet,
  id: string,
): Promise<
  { name: string; mode: 'live' | 'test'; scopes: SubscriptionView['scopes']; isRevoked: boolean } | undefined
> {
  const row = await tx.row<Pick<SubscriptionRow, 'name' | 'mode' | 'scopes' | 'revoked_at'>>(lock, [
    merchant,
    id,
  ])
  return row && { name: row.name, mode: row.mode, scopes: row.scopes, isRevoked: row.revoked_at !== null }
}

/** From now on neither key of the subscription is good for anything. */
export async function revokeSubscription(
  tx: Database,
  merchant: Wallet,
  id: string,
  at: UnixMs,
): Promise<void> {
  await tx.run(revoke, [merchant, id, at])
}

/** From now on the key in a slot is good for nothing. */
export async function revokeKey(
  tx: Database,
  merchant: Wallet,
  key: { subscriptionId: string; slot: 'primary' | 'secondary' },
  at: UnixMs,
): Promise<void> {
  await tx.run(revokeSlot, [merchant, key.subscriptionId, key.slot, at])
}

type SubscriptionRow = {
  id: string
  name: string
  scopes: SubscriptionView['scopes']
  mode: 'live' | 'test'
  created_at: bigint
  last_used_at: bigint | null
  revoked_at: bigint | null
}

type KeyRow = {
  id: string
  subscription_id: string
  slot: 'primary' | 'secondary'
  hint: string
  created_at: bigint
  made_by: string | null
}

const list = {
  name: 'list-subscriptions',
  text: `SELECT id, name, scopes, mode, created_at, last_used_at, revoked_at FROM subscription
    WHERE merchant = $1 AND ($2::text IS NULL OR id = $2) ORDER BY created_at, id`,
}

const listKeys = {
  name: 'list-api-keys',
  text: `SELECT id, subscription_id, slot, hint, created_at, made_by FROM api_key
    WHERE merchant = $1 AND ($2::text IS NULL OR subscription_id = $2) AND revoked_at IS NULL ORDER BY slot`,
}

const lock = {
  name: 'lock-subscription',
  text: 'SELECT name, mode, scopes, revoked_at FROM subscription WHERE merchant = $1 AND id = $2 FOR UPDATE',
}

const revoke = {
  name: 'revoke-subscription',
  text: 'UPDATE subscription SET revoked_at = $3 WHERE merchant = $1 AND id = $2 AND revoked_at IS NULL',
}

const revokeSlot = {
  name: 'revoke-api-key',
  text: `UPDATE api_key SET revoked_at = $4
    WHERE merchant = $1 AND subscription_id = $2 AND slot = $3 AND revoked_at IS NULL`,
}
