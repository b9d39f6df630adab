import type { Database } from '../../platform/database/database.ts'

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
  const row = await tx.row<SealRow>(lock)
  if (!row) return undefined
  const { chain, key_id: keyId, previous_key_id: previousKeyId, sealed } = row
  return { chain: Number(chain), keyId, previousKeyId: previousKeyId ?? undefined, sealed }
}

/** Writes the first seal of a database; another process may have been first, and then its seal stays. */
export async function insertSeal(tx: Database, seal: Seal, at: number): Promise<void> {
  await tx.run(insert, [seal.chain, seal.keyId, seal.previousKeyId ?? null, seal.sealed, at])
}

/** Puts a seal in place of the one that is held. */
export async function replaceSeal(tx: Database, seal: Seal, at: number): Promise<void> {
  await tx.run(replace, [seal.keyId, seal.previousKeyId ?? null, seal.sealed, at])
}

/** The chains this database has followed. */
export async function listFollowedChains(db: Database): Promise<number[]> {
  return (await db.rows<{ chain: bigint }>(listChains)).map(({ chain }) => Number(chain))
}

/** An API key as it lies in the database. */
export type SealedKey = { readonly merchant: string; readonly id: string; readonly sealed: string }

/** The newest API keys, over all merchants. */
export function listNewestKeys(db: Database, count: number): Promise<SealedKey[]> {
  return db.rows<SealedKey>(listKeys, [count])
}

type SealRow = {
  chain: bigint
  key_id: string
  previous_key_id: string | null
  sealed: string
}

const lock = {
  name: 'lock-database-seal',
  text: 'SELECT chain, key_id, previous_key_id, sealed FROM database_seal WHERE id = 1 FOR UPDATE',
}

const insert = {
  name: 'insert-database-seal',
  text: `INSERT INTO database_seal (id, chain, key_id, previous_key_id, sealed, sealed_at)
    VALUES (1, $1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING`,
}

const replace = {
  name: 'replace-database-seal',
  text: 'UPDATE database_seal SET key_id = $1, previous_key_id = $2, sealed = $3, sealed_at = $4 WHERE id = 1',
}

const listChains = {
  name: 'list-followed-chains',
  text: 'SELECT DISTINCT chain FROM chain_cursor ORDER BY chain',
}

const listKeys = {
  name: 'list-newest-sealed-keys',
  text: 'SELECT merchant, id, sealed FROM api_key ORDER BY created_at DESC LIMIT $1',
}
