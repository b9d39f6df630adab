import type { Scope } from '@sluice/protocol/api/access.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { named, type Parts, text, texts } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { Mode } from './api-key.ts'

export type KeyHolder = {
  readonly merchant: Wallet
  readonly subscriptionId: string
  readonly scopes: readonly Scope[]
  readonly keyId: string
  readonly encryptedKey: string
}

/** Returns the holder of the key with this hash, or `undefined` if it is unknown or revoked. */
export async function findKeyHolder(db: Database, hash: string): Promise<KeyHolder | undefined> {
  const place = await db.row(findPlace({ hash }))
  return place && db.row(findHolder(place))
}

export async function findPrimaryHolder(
  db: Database,
  subscriptionId: string,
): Promise<KeyHolder | undefined> {
  const owner = await db.row(findOwner({ subscriptionId }))
  return owner && db.row(findPrimary({ ...owner, subscriptionId }))
}

const storedKeyHolder: Parts<KeyHolder> = {
  merchant: text(),
  subscriptionId: text(),
  scopes: texts(),
  keyId: text(),
  encryptedKey: named('encrypted', text()),
}

/** Records last-used times. An older time never replaces a newer one. */
export async function touchSubscriptions(
  db: Database,
  each: readonly { readonly merchant: Wallet; readonly id: string; readonly at: UnixMs }[],
): Promise<void> {
  if (each.length > 0) await db.run(touch({ each }))
}

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
  await tx.run(addSubscription(subscription))
  await tx.run(addOwner(subscription))
}

export async function insertApiKey(
  tx: Database,
  key: {
    merchant: Wallet
    id: string
    subscriptionId: string
    slot: 'primary' | 'secondary'
    madeBy: Wallet | undefined
    encrypted: string
    hint: string
    hash: string
    createdAt: UnixMs
  },
): Promise<void> {
  await tx.run(addKey(key))
  await tx.run(addHash(key))
}

/** Returns the primary key of the oldest active subscription. It signs items created without a key. */
export async function findSigningKey(
  db: Database,
  merchant: Wallet,
): Promise<{ keyId: string; encryptedKey: string } | undefined> {
  return db.row(findSigning({ merchant }))
}

const findPlace = statement({
  name: 'find-key-place',
  reads: { merchant: text<Wallet>(), keyId: text() },
  text: 'SELECT merchant, key_id FROM api_key_hash WHERE hash = :hash',
})

const findHolder = statement({
  name: 'find-key-holder',
  reads: storedKeyHolder,
  text: `SELECT k.merchant, k.subscription_id, s.scopes, k.id AS key_id, k.encrypted
    FROM api_key k JOIN subscription s ON s.merchant = k.merchant AND s.id = k.subscription_id
    WHERE k.merchant = :merchant AND k.id = :keyId AND k.revoked_at IS NULL AND s.revoked_at IS NULL`,
})

const findOwner = statement({
  name: 'find-subscription-owner',
  reads: { merchant: text<Wallet>() },
  text: 'SELECT merchant FROM subscription_owner WHERE subscription_id = :subscriptionId',
})

const findPrimary = statement({
  name: 'find-primary-holder',
  reads: storedKeyHolder,
  text: `SELECT s.merchant, k.subscription_id, s.scopes, k.id AS key_id, k.encrypted
    FROM subscription s JOIN api_key k ON k.merchant = s.merchant AND k.subscription_id = s.id
    WHERE s.merchant = :merchant AND s.id = :subscriptionId AND k.slot = 'primary' AND k.revoked_at IS NULL
      AND s.revoked_at IS NULL`,
})

const touch = statement({
  name: 'touch-subscriptions',
  // Does not affect authentication.
  dropsCache: false,
  text: `UPDATE subscription AS s SET last_used_at = used.at
    FROM unnest(:each.merchant::text[], :each.id::text[], :each.at::int8[]) AS used (merchant, id, at)
    WHERE s.merchant = ANY(:each.merchant::text[]) AND s.merchant = used.merchant AND s.id = used.id AND (s.last_used_at IS NULL OR s.last_used_at < used.at)`,
})

const addSubscription = statement({
  name: 'insert-subscription',
  text: `INSERT INTO subscription (merchant, id, name, scopes, mode, created_at) VALUES (:merchant, :id, :name,
    :scopes, :mode, :createdAt)`,
})

const addOwner = statement({
  name: 'insert-subscription-owner',
  text: 'INSERT INTO subscription_owner (subscription_id, merchant) VALUES (:id, :merchant)',
})

const addKey = statement({
  name: 'insert-api-key',
  text: `INSERT INTO api_key (merchant, id, subscription_id, slot, encrypted, hint, created_at, made_by)
    VALUES (:merchant, :id, :subscriptionId, :slot, :encrypted, :hint, :createdAt, :madeBy)`,
})

const addHash = statement({
  name: 'insert-api-key-hash',
  text: 'INSERT INTO api_key_hash (hash, merchant, key_id) VALUES (:hash, :merchant, :id)',
})

const findSigning = statement({
  name: 'find-signing-key',
  reads: { keyId: named('id', text()), encryptedKey: named('encrypted', text()) },
  text: `SELECT k.id, k.encrypted FROM subscription s
    JOIN api_key k ON k.merchant = s.merchant AND k.subscription_id = s.id
    WHERE s.merchant = :merchant AND s.revoked_at IS NULL AND k.revoked_at IS NULL AND k.slot = 'primary'
    ORDER BY s.created_at, s.id LIMIT 1`,
})
