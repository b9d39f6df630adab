import type { Database, Statement } from '../../platform/database/database.ts'

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
  const rows = await db.rows<{ merchant: string; id: string; key_id: string; sealed: string }>(list[place], [
    after.merchant,
    after.id,
    count,
  ])
  return rows.map(({ key_id: keyId, ...row }) => ({ ...row, keyId }))
}

/** Puts a newly sealed text in the place of each old one that is still there; how many. */
export function replaceSealed(
  tx: Database,
  place: SealedPlace,
  rows: readonly (SealedRow & { readonly resealed: string })[],
): Promise<number> {
  return tx.run(replace[place], [
    rows.map(({ merchant }) => merchant),
    rows.map(({ id }) => id),
    rows.map(({ sealed }) => sealed),
    rows.map(({ resealed }) => resealed),
  ])
}

const list: Readonly<Record<SealedPlace, Statement>> = {
  keys: {
    name: 'list-sealed-keys',
    text: `SELECT merchant, id, id AS key_id, sealed FROM api_key
      WHERE (merchant, id) > ($1, $2) ORDER BY merchant, id LIMIT $3`,
  },
  receipts: {
    name: 'list-sealed-receipts',
    text: `SELECT merchant, id, key_id, sealed_key AS sealed FROM receipt
      WHERE (merchant, id) > ($1, $2) AND sealed_key IS NOT NULL AND key_id IS NOT NULL
      ORDER BY merchant, id LIMIT $3`,
  },
  notices: {
    name: 'list-sealed-notices',
    text: `SELECT merchant, id, key_id, sealed_key AS sealed FROM notice
      WHERE (merchant, id) > ($1, $2) ORDER BY merchant, id LIMIT $3`,
  },
}

const replace: Readonly<Record<SealedPlace, Statement>> = {
  keys: {
    name: 'replace-sealed-keys',
    text: `UPDATE api_key AS row SET sealed = it.resealed
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS it (merchant, id, sealed, resealed)
      WHERE row.merchant = it.merchant AND row.id = it.id AND row.sealed = it.sealed`,
  },
  receipts: {
    name: 'replace-sealed-receipts',
    text: `UPDATE receipt AS row SET sealed_key = it.resealed
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS it (merchant, id, sealed, resealed)
      WHERE row.merchant = it.merchant AND row.id = it.id AND row.sealed_key = it.sealed`,
  },
  notices: {
    name: 'replace-sealed-notices',
    text: `UPDATE notice AS row SET sealed_key = it.resealed
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS it (merchant, id, sealed, resealed)
      WHERE row.merchant = it.merchant AND row.id = it.id AND row.sealed_key = it.sealed`,
  },
}
