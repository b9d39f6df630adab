import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { int8, named, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

export type ReferenceOwner = {
  readonly reference: Hex
  readonly merchant: Wallet
  readonly receiptId: string
  readonly split: Wallet
}

export async function findReferences(
  db: Database,
  chain: number,
  references: readonly Hex[],
): Promise<ReferenceOwner[]> {
  if (references.length === 0) return []
  return db.rows(find({ chain, references }))
}

export type BookedBlock = { readonly number: bigint; readonly hash: Hex; readonly merchant: Wallet }

export async function insertBookedBlocks(
  tx: Database,
  chain: number,
  blocks: readonly BookedBlock[],
): Promise<void> {
  if (blocks.length === 0) return
  await tx.run(insertBlocks({ chain, each: blocks }))
}

export async function listBookedBlocks(
  db: Database,
  chain: number,
  below: bigint,
  limit: number,
): Promise<{ number: bigint; hash: Hex }[]> {
  const rows = await db.rows(listBlocks({ chain, below, limit }))
  return rows.map(({ number, hash }) => ({ number, hash: hash as Hex }))
}

export async function removeBookedBlocks(tx: Database, chain: number, above: bigint): Promise<Wallet[]> {
  const rows = await tx.rows(removeBlocks({ chain, above }))
  return [...new Set(rows.map((row) => row.merchant as Wallet))]
}

export async function removeBookedBlocksOf(
  tx: Database,
  chain: number,
  merchant: Wallet,
  above: bigint,
): Promise<void> {
  await tx.run(removeBlocksOf({ chain, merchant, above }))
}

const find = statement({
  name: 'find-references',
  reads: {
    reference: text<Hex>(),
    merchant: text<Wallet>(),
    receiptId: text(),
    split: named('split_address', text<Wallet>()),
  },
  text: `SELECT reference, merchant, receipt_id, split_address FROM attempt_target
    WHERE chain = :chain AND reference = ANY(:references)`,
})

const insertBlocks = statement({
  name: 'insert-split-blocks',
  text: `INSERT INTO split_block (chain, number, merchant, hash)
    SELECT :chain, t.* FROM unnest(:each.number::int8[], :each.merchant::text[], :each.hash::text[]) AS t
    ON CONFLICT (chain, number, merchant) DO UPDATE SET hash = excluded.hash`,
})

const listBlocks = statement({
  name: 'list-split-blocks',
  reads: { number: int8(), hash: text() },
  text: `SELECT DISTINCT number, hash FROM split_block WHERE chain = :chain AND number <= :below
    ORDER BY number DESC LIMIT :limit`,
})

const removeBlocksOf = statement({
  name: 'remove-split-blocks-of',
  text: `DELETE FROM split_block WHERE chain = :chain AND merchant = :merchant AND number > :above`,
})

const removeBlocks = statement({
  name: 'remove-split-blocks',
  reads: { merchant: text() },
  text: `DELETE FROM split_block WHERE chain = :chain AND number > :above RETURNING merchant`,
})
