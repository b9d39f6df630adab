import { count, optional, type Parts, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { assignAllBut, columnsOf, placesOf, table } from '../../platform/database/table.ts'

export type MasterKeyCheck = {
  readonly chain: number
  readonly keyId: string
  /** Id of the former master key, while secrets may still be encrypted with it. */
  readonly previousKeyId: string | undefined
  /** A known text, encrypted with the master key. */
  readonly encrypted: string
}

export async function lockMasterKeyCheck(tx: Database): Promise<MasterKeyCheck | undefined> {
  return tx.row(lock())
}

/** Stores the first check of a database. An existing check is kept. */
export async function insertMasterKeyCheck(tx: Database, check: MasterKeyCheck, at: number): Promise<void> {
  await tx.run(insert({ ...check, at }))
}

export async function replaceMasterKeyCheck(tx: Database, check: MasterKeyCheck, at: number): Promise<void> {
  await tx.run(replace({ ...check, at }))
}

export async function listFollowedChains(db: Database): Promise<number[]> {
  return (await db.rows(listChains())).map(({ chain }) => chain)
}

export type EncryptedKey = { readonly merchant: string; readonly id: string; readonly encrypted: string }

export function listNewestKeys(db: Database, limit: number): Promise<EncryptedKey[]> {
  return db.rows(listKeys({ limit }))
}

const masterKeyCheckTable = table<MasterKeyCheck>('master_key_check', {
  chain: count(),
  keyId: text(),
  previousKeyId: optional(text()),
  encrypted: text(),
})

const lock = statement({
  name: 'lock-master-key-check',
  reads: masterKeyCheckTable,
  text: `SELECT ${columnsOf(masterKeyCheckTable)} FROM master_key_check WHERE id = 1 FOR UPDATE`,
})

const insert = statement({
  name: 'insert-master-key-check',
  writes: masterKeyCheckTable,
  text: `INSERT INTO master_key_check (id, checked_at, ${columnsOf(masterKeyCheckTable)}) VALUES (1, :at, ${placesOf(masterKeyCheckTable)})
    ON CONFLICT (id) DO NOTHING`,
})

const replace = statement({
  name: 'replace-master-key-check',
  writes: masterKeyCheckTable,
  text: `UPDATE master_key_check SET ${assignAllBut(masterKeyCheckTable, ['chain'])}, checked_at = :at WHERE id = 1`,
})

const listChains = statement({
  name: 'list-followed-chains',
  reads: { chain: count() },
  text: 'SELECT DISTINCT chain FROM chain_cursor ORDER BY chain',
})

const listKeys = statement({
  name: 'list-newest-encrypted-keys',
  reads: { merchant: text(), id: text(), encrypted: text() },
  text: 'SELECT merchant, id, encrypted FROM api_key ORDER BY created_at DESC LIMIT :limit',
})

export type EncryptedRow = {
  readonly merchant: string
  readonly id: string
  readonly keyId: string
  readonly encrypted: string
}

/** Locations of encrypted API keys: the key itself, and the receipts and deliveries that it signs. */
export const encryptedLocations = ['keys', 'receipts', 'messages'] as const

export type EncryptedLocation = (typeof encryptedLocations)[number]

export async function listEncrypted(
  db: Database,
  place: EncryptedLocation,
  after: { readonly merchant: string; readonly id: string },
  count: number,
): Promise<EncryptedRow[]> {
  return db.rows(list[place]({ after, count }))
}

/** Replaces encrypted texts that have not changed since they were read. Returns the number replaced. */
export function replaceEncrypted(
  tx: Database,
  place: EncryptedLocation,
  rows: readonly (EncryptedRow & { readonly reencrypted: string })[],
): Promise<number> {
  return tx.run(replaceIn[place]({ each: rows }))
}

const encryptedRow: Parts<EncryptedRow> = { merchant: text(), id: text(), keyId: text(), encrypted: text() }

const list = {
  keys: statement({
    reads: encryptedRow,
    name: 'list-encrypted-keys',
    text: `SELECT merchant, id, id AS key_id, encrypted FROM api_key
      WHERE (merchant, id) > (:after.merchant, :after.id) ORDER BY merchant, id LIMIT :count`,
  }),
  receipts: statement({
    reads: encryptedRow,
    name: 'list-encrypted-receipts',
    text: `SELECT merchant, id, key_id, encrypted_key AS encrypted FROM receipt
      WHERE (merchant, id) > (:after.merchant, :after.id) AND encrypted_key IS NOT NULL AND key_id IS NOT NULL
      ORDER BY merchant, id LIMIT :count`,
  }),
  messages: statement({
    reads: encryptedRow,
    name: 'list-encrypted-messages',
    text: `SELECT merchant, id, key_id, encrypted_key AS encrypted FROM outbox_message
      WHERE (merchant, id) > (:after.merchant, :after.id) ORDER BY merchant, id LIMIT :count`,
  }),
}

const replaceIn = {
  keys: statement({
    name: 'replace-encrypted-keys',
    text: `UPDATE api_key AS row SET encrypted = it.reencrypted
      FROM unnest(:each.merchant::text[], :each.id::text[], :each.encrypted::text[],
        :each.reencrypted::text[]) AS it (merchant, id, encrypted, reencrypted)
      WHERE row.merchant = it.merchant AND row.id = it.id AND row.encrypted = it.encrypted`,
  }),
  receipts: statement({
    name: 'replace-encrypted-receipts',
    text: `UPDATE receipt AS row SET encrypted_key = it.reencrypted
      FROM unnest(:each.merchant::text[], :each.id::text[], :each.encrypted::text[],
        :each.reencrypted::text[]) AS it (merchant, id, encrypted, reencrypted)
      WHERE row.merchant = it.merchant AND row.id = it.id AND row.encrypted_key = it.encrypted`,
  }),
  messages: statement({
    name: 'replace-encrypted-messages',
    text: `UPDATE outbox_message AS row SET encrypted_key = it.reencrypted
      FROM unnest(:each.merchant::text[], :each.id::text[], :each.encrypted::text[],
        :each.reencrypted::text[]) AS it (merchant, id, encrypted, reencrypted)
      WHERE row.merchant = it.merchant AND row.id = it.id AND row.encrypted_key = it.encrypted`,
  }),
}
