import { count, optional, type Parts, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { assignAllBut, columnsOf, placesOf, table } from '../../platform/database/table.ts'

export type Seal = {
  readonly chain: number
  readonly keyId: string
  /** Id of the former master key, while secrets may still be encrypted with it. */
  readonly previousKeyId: string | undefined
  /** A known text, encrypted with the master key. */
  readonly sealed: string
}

export async function lockSeal(tx: Database): Promise<Seal | undefined> {
  return tx.row(lock())
}

/** Stores the first seal of a database. An existing seal stays. */
export async function insertSeal(tx: Database, seal: Seal, at: number): Promise<void> {
  await tx.run(insert({ ...seal, at }))
}

export async function replaceSeal(tx: Database, seal: Seal, at: number): Promise<void> {
  await tx.run(replace({ ...seal, at }))
}

export async function listFollowedChains(db: Database): Promise<number[]> {
  return (await db.rows(listChains())).map(({ chain }) => chain)
}

export type SealedKey = { readonly merchant: string; readonly id: string; readonly sealed: string }

export function listNewestKeys(db: Database, limit: number): Promise<SealedKey[]> {
  return db.rows(listKeys({ limit }))
}

const sealTable = table<Seal>('database_seal', {
  chain: count(),
  keyId: text(),
  previousKeyId: optional(text()),
  sealed: text(),
})

const lock = statement({
  name: 'lock-database-seal',
  reads: sealTable,
  text: `SELECT ${columnsOf(sealTable)} FROM database_seal WHERE id = 1 FOR UPDATE`,
})

const insert = statement({
  name: 'insert-database-seal',
  writes: sealTable,
  text: `INSERT INTO database_seal (id, sealed_at, ${columnsOf(sealTable)}) VALUES (1, :at, ${placesOf(sealTable)})
    ON CONFLICT (id) DO NOTHING`,
})

const replace = statement({
  name: 'replace-database-seal',
  writes: sealTable,
  text: `UPDATE database_seal SET ${assignAllBut(sealTable, ['chain'])}, sealed_at = :at WHERE id = 1`,
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

export type SealedRow = {
  readonly merchant: string
  readonly id: string
  readonly keyId: string
  readonly sealed: string
}

/** Locations of encrypted API keys: the key itself, receipts and deliveries that it signs. */
export const sealedPlaces = ['keys', 'receipts', 'notices'] as const

export type SealedPlace = (typeof sealedPlaces)[number]

export async function listSealed(
  db: Database,
  place: SealedPlace,
  after: { readonly merchant: string; readonly id: string },
  count: number,
): Promise<SealedRow[]> {
  return db.rows(list[place]({ after, count }))
}

/** Replaces encrypted texts that have not changed since. Returns their number. */
export function replaceSealed(
  tx: Database,
  place: SealedPlace,
  rows: readonly (SealedRow & { readonly resealed: string })[],
): Promise<number> {
  return tx.run(replaceIn[place]({ each: rows }))
}

const sealedRow: Parts<SealedRow> = { merchant: text(), id: text(), keyId: text(), sealed: text() }

const list = {
  keys: statement({
    reads: sealedRow,
    name: 'list-sealed-keys',
    text: `SELECT merchant, id, id AS key_id, sealed FROM api_key
      WHERE (merchant, id) > (:after.merchant, :after.id) ORDER BY merchant, id LIMIT :count`,
  }),
  receipts: statement({
    reads: sealedRow,
    name: 'list-sealed-receipts',
    text: `SELECT merchant, id, key_id, sealed_key AS sealed FROM receipt
      WHERE (merchant, id) > (:after.merchant, :after.id) AND sealed_key IS NOT NULL AND key_id IS NOT NULL
      ORDER BY merchant, id LIMIT :count`,
  }),
  notices: statement({
    reads: sealedRow,
    name: 'list-sealed-notices',
    text: `SELECT merchant, id, key_id, sealed_key AS sealed FROM notice
      WHERE (merchant, id) > (:after.merchant, :after.id) ORDER BY merchant, id LIMIT :count`,
  }),
}

const replaceIn = {
  keys: statement({
    name: 'replace-sealed-keys',
    text: `UPDATE api_key AS row SET sealed = it.resealed
      FROM unnest(:each.merchant::text[], :each.id::text[], :each.sealed::text[],
        :each.resealed::text[]) AS it (merchant, id, sealed, resealed)
      WHERE row.merchant = it.merchant AND row.id = it.id AND row.sealed = it.sealed`,
  }),
  receipts: statement({
    name: 'replace-sealed-receipts',
    text: `UPDATE receipt AS row SET sealed_key = it.resealed
      FROM unnest(:each.merchant::text[], :each.id::text[], :each.sealed::text[],
        :each.resealed::text[]) AS it (merchant, id, sealed, resealed)
      WHERE row.merchant = it.merchant AND row.id = it.id AND row.sealed_key = it.sealed`,
  }),
  notices: statement({
    name: 'replace-sealed-notices',
    text: `UPDATE notice AS row SET sealed_key = it.resealed
      FROM unnest(:each.merchant::text[], :each.id::text[], :each.sealed::text[],
        :each.resealed::text[]) AS it (merchant, id, sealed, resealed)
      WHERE row.merchant = it.merchant AND row.id = it.id AND row.sealed_key = it.sealed`,
  }),
}
