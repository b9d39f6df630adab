import type { Scope } from '@sluice/protocol/api/access.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Mode } from './api-key.ts'

/** What a key that was sent gives access to. */
export type KeyHolder = {
  readonly merchant: Wallet
  readonly subscriptionId: string
  readonly scopes: readonly Scope[]
  readonly keyId: string
  readonly sealedKey: string
  readonly lastUsedAt: UnixMs | undefined
}

/** The holder of a key that is neither revoked itself nor of a revoked subscription. */
export async function findKeyHolder(db: Database, hash: string): Promise<KeyHolder | undefined> {
  const row = await db.row<HolderRow>(findHolder, [hash])
  return row && readHolder(row)
}

/** The holder of a subscription's primary key, for a gateway that names the subscription. */
export async function findPrimaryHolder(
  db: Database,
  subscriptionId: string,
): Promise<KeyHolder | undefined> {
  const row = await db.row<HolderRow>(findPrimary, [subscriptionId])
  return row && readHolder(row)
}

function readHolder(row: HolderRow): KeyHolder {
  return {
    merchant: row.merchant as Wallet,
    subscriptionId: row.subscription_id,
    scopes: row.scopes as Scope[],
    keyId: row.key_id,
    sealedKey: row.sealed,
    lastUsedAt: row.last_used_at === null ? undefined : (Number(row.last_used_at) as UnixMs),
  }
}

/** Notes when a subscription was last used; an older time never replaces a newer one. */
export async function touchSubscription(
  db: Database,
  merchant: Wallet,
  id: string,
  at: UnixMs,
): Promise<void> {
  await db.run(touch, [merchant, id, at])
}

/** Stores a subscription; its keys follow by {@link insertApiKey} in the same transaction. */
export async function insertSubscription(
  tx: Database,
  subscription: {
    merchant: Wallet
    id: string
    name: string
    scopes: readonly Scope[]
    mode: Mode
    createdAt: UnixMs
  },
): Promise<void> {
  const { merchant, id, name, scopes, mode, createdAt } = subscription
  await tx.run(addSubscription, [merchant, id, name, scopes, mode, createdAt])
  await tx.run(addOwner, [id, merchant])
}

/** Stores a sealed key and what it is looked up by. */
export async function insertApiKey(
  tx: Database,
  key: {
    merchant: Wallet
    id: string
    subscriptionId: string
    slot: 'primary' | 'secondary'
    madeBy: Wallet | undefined
    sealed: string
    hint: string
    hash: string
    createdAt: UnixMs
  },
): Promise<void> {
  await tx.run(addKey, [
    key.merchant,
    key.id,
    key.subscriptionId,
    key.slot,
    key.sealed,
    key.hint,
    key.createdAt,
    key.madeBy ?? null,
  ])
  await tx.run(addHash, [key.hash, key.merchant, key.id])
}

/** The primary key of the merchant's oldest active subscription: signs what was made without a key. */
export async function findSigningKey(
  db: Database,
  merchant: Wallet,
): Promise<{ keyId: string; sealedKey: string } | undefined> {
  const row = await db.row<{ id: string; sealed: string }>(findSigning, [merchant])
  return row && { keyId: row.id, sealedKey: row.sealed }
}

type HolderRow = {
  merchant: string
  subscription_id: string
  scopes: string[]
  key_id: string
  sealed: string
  last_used_at: bigint | null
}

const findHolder = {
  name: 'find-key-holder',
  text: `SELECT h.merchant, k.subscription_id, s.scopes, k.id AS key_id, k.sealed, s.last_used_at
    FROM api_key_hash h
    JOIN api_key k ON k.merchant = h.merchant AND k.id = h.key_id
    JOIN subscription s ON s.merchant = k.merchant AND s.id = k.subscription_id
    WHERE h.hash = $1 AND k.revoked_at IS NULL AND s.revoked_at IS NULL`,
}

const findPrimary = {
  name: 'find-primary-holder',
  text: `SELECT o.merchant, k.subscription_id, s.scopes, k.id AS key_id, k.sealed, s.last_used_at
    FROM subscription_owner o
    JOIN subscription s ON s.merchant = o.merchant AND s.id = o.subscription_id
    JOIN api_key k ON k.merchant = o.merchant AND k.subscription_id = o.subscription_id
    WHERE o.subscription_id = $1 AND k.slot = 'primary' AND k.revoked_at IS NULL AND s.revoked_at IS NULL`,
}

const touch = {
  name: 'touch-subscription',
  text: `UPDATE subscription SET last_used_at = $3
    WHERE merchant = $1 AND id = $2 AND (last_used_at IS NULL OR last_used_at < $3)`,
}

const addSubscription = {
  name: 'insert-subscription',
  text: `INSERT INTO subscription (merchant, id, name, scopes, mode, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
}

const addOwner = {
  name: 'insert-subscription-owner',
  text: 'INSERT INTO subscription_owner (subscription_id, merchant) VALUES ($1, $2)',
}

const addKey = {
  name: 'insert-api-key',
  text: `INSERT INTO api_key (merchant, id, subscription_id, slot, sealed, hint, created_at, made_by)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
}

const addHash = {
  name: 'insert-api-key-hash',
  text: 'INSERT INTO api_key_hash (hash, merchant, key_id) VALUES ($1, $2, $3)',
}

const findSigning = {
  name: 'find-signing-key',
  text: `SELECT k.id, k.sealed FROM subscription s
    JOIN api_key k ON k.merchant = s.merchant AND k.subscription_id = s.id
    WHERE s.merchant = $1 AND s.revoked_at IS NULL AND k.revoked_at IS NULL AND k.slot = 'primary'
    ORDER BY s.created_at, s.id LIMIT 1`,
}
