import type { SubscriptionView } from '@sluice/protocol/api/access.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { count, optional, text, texts, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

export async function listSubscriptions(
  db: Database,
  merchant: Wallet,
  id?: string,
): Promise<SubscriptionView[]> {
  const [subscriptions, keys] = await Promise.all([
    db.rows(list({ merchant, id })),
    db.rows(listKeys({ merchant, id })),
  ])
  return subscriptions.map((row) => ({
    id: row.id,
    merchantWallet: merchant,
    name: row.name,
    scopes: row.scopes,
    mode: row.mode,
    createdAt: row.createdAt,
    lastUsedAt: row.lastUsedAt ?? null,
    revokedAt: row.revokedAt ?? null,
    keys: keys
      .filter((key) => key.subscriptionId === row.id && row.revokedAt === undefined)
      .map((key) => ({
        id: key.id,
        slot: key.slot,
        hint: key.hint,
        createdAt: key.createdAt,
        madeBy: key.madeBy ?? null,
      })),
  }))
}

/** Counts active subscriptions. Locks the merchant, so that concurrent counts wait for this transaction. */
export async function countActiveSubscriptions(tx: Database, merchant: Wallet): Promise<number> {
  await tx.row(lockMerchant({ merchant }))
  return (await tx.row(countActive({ merchant })))?.active ?? 0
}

export async function lockSubscription(
  tx: Database,
  merchant: Wallet,
  id: string,
): Promise<
  { name: string; mode: 'live' | 'test'; scopes: SubscriptionView['scopes']; isRevoked: boolean } | undefined
> {
  const row = await tx.row(lock({ merchant, id }))
  return row && { name: row.name, mode: row.mode, scopes: row.scopes, isRevoked: row.revokedAt !== undefined }
}

export async function revokeSubscription(
  tx: Database,
  merchant: Wallet,
  id: string,
  at: UnixMs,
): Promise<void> {
  await tx.run(revoke({ merchant, id, at }))
}

export async function revokeKey(
  tx: Database,
  merchant: Wallet,
  key: { subscriptionId: string; slot: 'primary' | 'secondary' },
  at: UnixMs,
): Promise<void> {
  await tx.run(revokeSlot({ merchant, ...key, at }))
}

const subscription = {
  name: text(),
  mode: text<'live' | 'test'>(),
  scopes: texts<SubscriptionView['scopes'][number]>(),
  revokedAt: optional(time()),
}

const lockMerchant = statement({
  name: 'lock-merchant-subscriptions',
  reads: { merchant: text() },
  text: 'SELECT merchant FROM merchant WHERE merchant = :merchant FOR NO KEY UPDATE',
})

const countActive = statement({
  name: 'count-active-subscriptions',
  reads: { active: count() },
  text: 'SELECT count(*) AS active FROM subscription WHERE merchant = :merchant AND revoked_at IS NULL',
})

const list = statement({
  name: 'list-subscriptions',
  reads: { ...subscription, id: text(), createdAt: time(), lastUsedAt: optional(time()) },
  text: `SELECT id, name, scopes, mode, created_at, last_used_at, revoked_at FROM subscription
    WHERE merchant = :merchant AND (:id::text IS NULL OR id = :id) ORDER BY created_at, id`,
})

const listKeys = statement({
  name: 'list-api-keys',
  reads: {
    id: text(),
    subscriptionId: text(),
    slot: text<'primary' | 'secondary'>(),
    hint: text(),
    createdAt: time(),
    madeBy: optional(text()),
  },
  text: `SELECT id, subscription_id, slot, hint, created_at, made_by FROM api_key
    WHERE merchant = :merchant AND (:id::text IS NULL OR subscription_id = :id) AND revoked_at IS NULL ORDER BY slot`,
})

const lock = statement({
  name: 'lock-subscription',
  reads: subscription,
  text: 'SELECT name, mode, scopes, revoked_at FROM subscription WHERE merchant = :merchant AND id = :id FOR UPDATE',
})

const revoke = statement({
  name: 'revoke-subscription',
  ends: 'id',
  text: 'UPDATE subscription SET revoked_at = :at WHERE merchant = :merchant AND id = :id AND revoked_at IS NULL',
})

const revokeSlot = statement({
  name: 'revoke-api-key',
  ends: 'subscriptionId',
  text: `UPDATE api_key SET revoked_at = :at
    WHERE merchant = :merchant AND subscription_id = :subscriptionId AND slot = :slot AND revoked_at IS NULL`,
})
