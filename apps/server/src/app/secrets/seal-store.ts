import { count, optional, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

/** What a database says of the deployment it belongs to. */
export type Seal = {
  readonly chain: number
  /** The master key that secrets are sealed with. */
  readonly keyId: string
  /** The one before it, while something may be sealed with that still. */
  readonly previousKeyId: string | undefined
  /** A text that opens with the master key alone. */
  readonly sealed: string
}

/** The seal, held until the transaction ends; `undefined` before the first start. */
export async function lockSeal(tx: Database): Promise<Seal | undefined> {
  return tx.row(lock())
}

/** Writes the first seal of a database; another process may have been first, and then its seal stays. */
export async function insertSeal(tx: Database, seal: Seal, at: number): Promise<void> {
  await tx.run(
    insert({
      chain: seal.chain,
      keyId: seal.keyId,
      previousKeyId: seal.previousKeyId,
      sealed: seal.sealed,
      at,
    }),
  )
}

/** Puts a seal in place of the one that is held. */
export async function replaceSeal(tx: Database, seal: Seal, at: number): Promise<void> {
  await tx.run(replace({ keyId: seal.keyId, previousKeyId: seal.previousKeyId, sealed: seal.sealed, at }))
}

/** The chains this database has followed. */
export async function listFollowedChains(db: Database): Promise<number[]> {
  return (await db.rows(listChains())).map(({ chain }) => chain)
}

/** An API key as it lies in the database. */
export type SealedKey = { readonly merchant: string; readonly id: string; readonly sealed: string }

/** The newest API keys, over all merchants. */
export function listNewestKeys(db: Database, limit: number): Promise<SealedKey[]> {
  return db.rows(listKeys({ limit }))
}

const lock = statement({
  name: 'lock-database-seal',
  reads: { chain: count(), keyId: text(), previousKeyId: optional(text()), sealed: text() },
  text: 'SELECT chain, key_id, previous_key_id, sealed FROM database_seal WHERE id = 1 FOR UPDATE',
})

const insert = statement({
  name: 'insert-database-seal',
  text: `INSERT INTO database_seal (id, chain, key_id, previous_key_id, sealed, sealed_at)
    VALUES (1, :chain, :keyId, :previousKeyId, :sealed, :at) ON CONFLICT (id) DO NOTHING`,
})

const replace = statement({
  name: 'replace-database-seal',
  text: 'UPDATE database_seal SET key_id = :keyId, previous_key_id = :previousKeyId, sealed = :sealed, sealed_at = :at WHERE id = 1',
})

const listChains = statement({
  name: 'list-followed-chains',
  reads: { chain: count() },
  text: 'SELECT DISTINCT chain FROM chain_cursor ORDER BY chain',
})

const listKeys = statement({
  name: 'list-newest-sealed-keys',
  reads: { merchant: text(), id: text(), sealed: text() },
  text: 'SELECT merchant, id, sealed FROM api_key ORDER BY created_at DESC LIMIT :limit',
})
