import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
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
  const rows = await db.rows<AttemptRow>(attempts, [chain, after.merchant, after.id, limit])
  return rows.map((row) => ({
    merchant: row.merchant,
    id: row.id,
    factory: undefined,
    split: row.split_address as Wallet,
    reference: row.reference as Hex,
    address: row.deposit_address as Wallet,
  }))
}

/** Versions of splits of all merchants without a factory, after a row. */
export async function listSplitsWithout(
  db: Database,
  chain: number,
  after: RowName,
  limit: number,
): Promise<SplitWithout[]> {
  const rows = await db.rows<SplitRow>(splits, [chain, after.merchant, after.id || '0', limit])
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
  if (rows.length > 0) await db.run(saveAttempts, columnsOf(rows))
}

/** Writes down which factory makes splits. */
export async function saveSplitFactories(
  db: Database,
  rows: readonly (RowName & { readonly factory: Wallet })[],
): Promise<void> {
  if (rows.length > 0) await db.run(saveSplits, columnsOf(rows))
}

type AttemptRow = {
  merchant: string
  id: string
  split_address: string
  reference: string
  deposit_address: string
}

type SplitRow = {
  merchant: string
  version: bigint
  recipients: readonly Recipient[]
  salt: string
  address: string
}

function columnsOf(rows: readonly (RowName & { readonly factory: Wallet })[]) {
  return [
    rows.map(({ merchant }) => merchant),
    rows.map(({ id }) => id),
    rows.map(({ factory }) => factory),
  ] as const
}

const attempts = {
  name: 'list-attempts-without-factory',
  text: `SELECT merchant, id, split_address, reference, deposit_address FROM attempt
    WHERE chain = $1 AND factory IS NULL AND (merchant, id) > ($2, $3) ORDER BY merchant, id LIMIT $4`,
}

const splits = {
  name: 'list-splits-without-factory',
  text: `SELECT merchant, version, recipients, salt, address FROM split
    WHERE chain = $1 AND factory IS NULL AND (merchant, version) > ($2, $3::int8) ORDER BY merchant, version LIMIT $4`,
}

const saveAttempts = {
  name: 'save-attempt-factories',
  text: `UPDATE attempt SET factory = made.factory
    FROM unnest($1::text[], $2::text[], $3::text[]) AS made (merchant, id, factory)
    WHERE attempt.merchant = made.merchant AND attempt.id = made.id AND attempt.factory IS NULL`,
}

const saveSplits = {
  name: 'save-split-factories',
  text: `UPDATE split SET factory = made.factory
    FROM unnest($1::text[], $2::int8[], $3::text[]) AS made (merchant, version, factory)
    WHERE split.merchant = made.merchant AND split.version = made.version AND split.factory IS NULL`,
}
