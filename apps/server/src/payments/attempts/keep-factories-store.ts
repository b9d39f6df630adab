import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { int8, json, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { Recipient } from '../../split/split.ts'

/** A row of a merchant, and where a page of a list ended. */
export type RowName = { readonly merchant: string; readonly id: string }

/** Before the first row. */
export const beforeFirstRow: RowName = { merchant: '', id: '' }

/** An attempt that does not say which factory made its deposit address. */
export type AttemptWithout = RowName & {
  readonly factory: undefined
  readonly split: Wallet
  readonly reference: Hex
  readonly address: Wallet
}

/** A version of a split that does not say which factory makes it. */
export type SplitWithout = RowName & {
  readonly factory: undefined
  readonly recipients: readonly Recipient[]
  readonly salt: Hex
  readonly address: Wallet
}

/** Attempts of all merchants without a factory, after a row. */
export async function listAttemptsWithout(
  db: Database,
  chain: number,
  after: RowName,
  limit: number,
): Promise<AttemptWithout[]> {
  const rows = await db.rows(attempts({ chain, merchant: after.merchant, id: after.id, limit }))
  return rows.map((row) => ({
    merchant: row.merchant,
    id: row.id,
    factory: undefined,
    split: row.splitAddress as Wallet,
    reference: row.reference as Hex,
    address: row.depositAddress as Wallet,
  }))
}

/** Versions of splits of all merchants without a factory, after a row. */
export async function listSplitsWithout(
  db: Database,
  chain: number,
  after: RowName,
  limit: number,
): Promise<SplitWithout[]> {
  const rows = await db.rows(splits({ chain, merchant: after.merchant, version: after.id || '0', limit }))
  return rows.map((row) => ({
    merchant: row.merchant,
    id: row.version.toString(),
    factory: undefined,
    recipients: row.recipients,
    salt: row.salt as Hex,
    address: row.address as Wallet,
  }))
}

/** Writes down which factory made deposit addresses. */
export async function saveAttemptFactories(
  db: Database,
  rows: readonly (RowName & { readonly factory: Wallet })[],
): Promise<void> {
  if (rows.length > 0) await db.run(saveAttempts({ each: rows }))
}

/** Writes down which factory makes splits. */
export async function saveSplitFactories(
  db: Database,
  rows: readonly (RowName & { readonly factory: Wallet })[],
): Promise<void> {
  if (rows.length > 0) await db.run(saveSplits({ each: rows }))
}

const attempts = statement({
  name: 'list-attempts-without-factory',
  reads: { merchant: text(), id: text(), splitAddress: text(), reference: text(), depositAddress: text() },
  text: `SELECT merchant, id, split_address, reference, deposit_address FROM attempt
    WHERE chain = :chain AND factory IS NULL AND (merchant, id) > (:merchant, :id) ORDER BY merchant, id LIMIT :limit`,
})

const splits = statement({
  name: 'list-splits-without-factory',
  reads: {
    merchant: text(),
    version: int8(),
    recipients: json<readonly Recipient[]>(),
    salt: text(),
    address: text(),
  },
  text: `SELECT merchant, version, recipients, salt, address FROM split
    WHERE chain = :chain AND factory IS NULL AND (merchant, version) > (:merchant, :version::int8) ORDER BY merchant,
      version LIMIT :limit`,
})

const saveAttempts = statement({
  name: 'save-attempt-factories',
  text: `UPDATE attempt SET factory = made.factory
    FROM unnest(:each.merchant::text[], :each.id::text[], :each.factory::text[]) AS made (merchant, id, factory)
    WHERE attempt.merchant = made.merchant AND attempt.id = made.id AND attempt.factory IS NULL`,
})

const saveSplits = statement({
  name: 'save-split-factories',
  text: `UPDATE split SET factory = made.factory
    FROM unnest(:each.merchant::text[], :each.id::int8[], :each.factory::text[]) AS made (merchant, version, factory)
    WHERE split.merchant = made.merchant AND split.version = made.version AND split.factory IS NULL`,
})
