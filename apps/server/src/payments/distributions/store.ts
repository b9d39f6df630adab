import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'

/** Whose attempt a reference is, and which split its money belongs to. */
export type ReferenceOwner = {
  readonly reference: Hex
  readonly merchant: Wallet
  readonly receiptId: string
  readonly split: Wallet
}

/** The attempts behind references, as far as they are ours. */
export async function findReferences(
  db: Database,
  chain: number,
  references: readonly Hex[],
): Promise<ReferenceOwner[]> {
  if (references.length === 0) return []
  const rows = await db.rows<ReferenceRow>(find, [chain, references])
  return rows.map((row) => ({
    reference: row.reference as Hex,
    merchant: row.merchant as Wallet,
    receiptId: row.receipt_id,
    split: row.split_address as Wallet,
  }))
}

/** A final block that went into a merchant's books. */
export type BookedBlock = { readonly number: bigint; readonly hash: Hex; readonly merchant: Wallet }

/** Remembers which blocks the books stand on. */
export async function insertBookedBlocks(
  tx: Database,
  chain: number,
  blocks: readonly BookedBlock[],
): Promise<void> {
  if (blocks.length === 0) return
  await tx.run(insertBlocks, [
    chain,
    blocks.map(({ number }) => number),
    blocks.map(({ merchant }) => merchant),
    blocks.map(({ hash }) => hash),
  ])
}

/** The blocks the books stand on, below a height and newest first. */
export async function listBookedBlocks(
  db: Database,
  chain: number,
  below: bigint,
  limit: number,
): Promise<{ number: bigint; hash: Hex }[]> {
  const rows = await db.rows<{ number: bigint; hash: string }>(listBlocks, [chain, below, limit])
  return rows.map(({ number, hash }) => ({ number, hash: hash as Hex }))
}

/** Forgets the blocks above a height; answers whose books stood on them. */
export async function removeBookedBlocks(tx: Database, chain: number, above: bigint): Promise<Wallet[]> {
  const rows = await tx.rows<{ merchant: string }>(removeBlocks, [chain, above])
  return [...new Set(rows.map((row) => row.merchant as Wallet))]
}

/** Forgets the blocks above a height that one merchant's books stood on. */
export async function removeBookedBlocksOf(
  tx: Database,
  chain: number,
  merchant: Wallet,
  above: bigint,
): Promise<void> {
  await tx.run(removeBlocksOf, [chain, merchant, above])
}

type ReferenceRow = { reference: string; merchant: string; receipt_id: string; split_address: string }

const find = {
  name: 'find-references',
  text: `SELECT reference, merchant, receipt_id, split_address FROM attempt_target
    WHERE chain = $1 AND reference = ANY($2)`,
}

const insertBlocks = {
  name: 'insert-split-blocks',
  text: `INSERT INTO split_block (chain, number, merchant, hash)
    SELECT $1, t.* FROM unnest($2::int8[], $3::text[], $4::text[]) AS t
    ON CONFLICT (chain, number, merchant) DO UPDATE SET hash = excluded.hash`,
}

const listBlocks = {
  name: 'list-split-blocks',
  text: `SELECT DISTINCT number, hash FROM split_block WHERE chain = $1 AND number <= $2
    ORDER BY number DESC LIMIT $3`,
}

const removeBlocksOf = {
  name: 'remove-split-blocks-of',
  text: `DELETE FROM split_block WHERE chain = $1 AND merchant = $2 AND number > $3`,
}

const removeBlocks = {
  name: 'remove-split-blocks',
  text: `DELETE FROM split_block WHERE chain = $1 AND number > $2 RETURNING merchant`,
}
