import { type Parts, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

/** A sealed API key where it lies, with what it is sealed for. */
export type SealedRow = {
  readonly merchant: string
  readonly id: string
  readonly keyId: string
  readonly sealed: string
}

/** Where sealed keys lie: with the key itself, and with what it is to sign. */
export const sealedPlaces = ['keys', 'receipts', 'notices'] as const

/** One of {@link sealedPlaces}. */
export type SealedPlace = (typeof sealedPlaces)[number]

/** The next rows of a place that hold something sealed, in the order of merchant and id. */
export async function listSealed(
  db: Database,
  place: SealedPlace,
  after: { readonly merchant: string; readonly id: string },
  count: number,
): Promise<SealedRow[]> {
  return db.rows(list[place]({ after, count }))
}

/** Puts a newly sealed text in the place of each old one that is still there; how many. */
export function replaceSealed(
  tx: Database,
  place: SealedPlace,
  rows: readonly (SealedRow & { readonly resealed: string })[],
): Promise<number> {
  return tx.run(replace[place]({ each: rows }))
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

const replace = {
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
