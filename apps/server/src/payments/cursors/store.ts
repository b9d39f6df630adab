import type { UnixMs } from '@sluice/protocol/time.ts'
import type { BlockHeader, ChainHead, Hex } from '../../chain/chain.ts'
import { int8, named, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { FinalityTags } from './finality.ts'

/** Last block that a watcher has scanned, together with every block below. */
export type Cursor = { readonly number: bigint; readonly hash: Hex; readonly at: UnixMs }

/** Number of blocks to keep below the final block, for chains that lose final blocks. */
export const keptBelowFinal = 2_000n

export async function findCursor(db: Database, chain: number, name: string): Promise<Cursor | undefined> {
  return db.row(find({ chain, name }))
}

export async function startCursor(
  tx: Database,
  chain: number,
  name: string,
  at: Cursor,
  now: UnixMs,
): Promise<boolean> {
  return (await tx.run(start({ chain, name, number: at.number, hash: at.hash, at: at.at, now }))) > 0
}

/**
 * Moves the watcher and locks its row until the transaction ends. Returns `false` if another process has
 * moved it: the caller must not write.
 */
export async function moveCursor(
  tx: Database,
  chain: number,
  name: string,
  from: Cursor,
  to: Cursor,
  now: UnixMs,
): Promise<boolean> {
  return (await tx.run(move({ chain, name, from, to, now }))) > 0
}

/**
 * Locks the watcher's row until the transaction ends. Returns `false` if the watcher is below `block`, or if
 * `block` was reorged out.
 */
export async function holdCursor(tx: Database, chain: number, name: string, block: Cursor): Promise<boolean> {
  const row = await tx.row(hold({ chain, name }))
  return row !== undefined && row.number >= block.number && areKnownAlike(tx, chain, [block])
}

/** Keeps the watcher in its place until the transaction ends. Others may do the same. */
export async function shareCursor(tx: Database, chain: number, name: string): Promise<void> {
  await tx.row(share({ chain, name }))
}

export async function saveBlocks(tx: Database, chain: number, blocks: readonly BlockHeader[]): Promise<void> {
  if (blocks.length > 0) await tx.run(insertBlocks({ chain, each: blocks }))
}

export async function pruneBlocks(tx: Database, chain: number, final: bigint): Promise<void> {
  await tx.run(forgetBlocks({ chain, number: final - keptBelowFinal }))
}

export async function listBlocksDown(
  db: Database,
  chain: number,
  from: bigint,
  limit: number,
): Promise<Cursor[]> {
  return db.rows(listDown({ chain, from, limit }))
}

export async function findBlockHashes(
  db: Database,
  chain: number,
  numbers: readonly bigint[],
): Promise<Map<bigint, Hex>> {
  if (numbers.length === 0) return new Map()
  const rows = await db.rows(findBlocks({ chain, numbers }))
  return new Map(rows.map(({ number, hash }) => [number, hash]))
}

/** Checks the hashes of stored blocks. A height without a stored block passes the check. */
export async function areKnownAlike(
  db: Database,
  chain: number,
  blocks: readonly Pick<Cursor, 'number' | 'hash'>[],
): Promise<boolean> {
  const known = await findBlockHashes(
    db,
    chain,
    blocks.map(({ number }) => number),
  )
  return blocks.every(({ number, hash }) => (known.get(number) ?? hash) === hash)
}

/** Deletes the blocks above a height and their native moves, so that both are scanned again. */
export async function dropBlocksAbove(tx: Database, chain: number, height: bigint): Promise<void> {
  await tx.run(dropBlocks({ chain, height }))
  await tx.run(dropNativeMoves({ chain, height }))
}

export async function saveHead(db: Database, chain: number, head: ChainHead, now: UnixMs): Promise<void> {
  await db.run(
    saveHeadRow({ chain, number: head.latest.number, safe: head.safe.number, final: head.final.number, now }),
  )
}

export async function findTags(db: Database, chain: number): Promise<FinalityTags> {
  const row = await db.row<FinalityTags>(findHeadRow({ chain }))
  return row ?? { latest: 0n, safe: 0n, final: 0n }
}

const find = statement({
  name: 'find-chain-cursor',
  reads: { number: int8(), hash: text<Hex>(), at: named('block_at', time()) },
  text: `SELECT number, hash, block_at FROM chain_cursor WHERE chain = :chain AND name = :name`,
})

const start = statement({
  name: 'start-chain-cursor',
  text: `INSERT INTO chain_cursor (chain, name, number, hash, block_at, moved_at) VALUES (:chain, :name, :number,
    :hash, :at, :now)
    ON CONFLICT DO NOTHING`,
})

const move = statement({
  name: 'move-chain-cursor',
  text: `UPDATE chain_cursor SET number = :to.number, hash = :to.hash, block_at = :to.at, moved_at = :now
    WHERE chain = :chain AND name = :name AND number = :from.number AND hash = :from.hash`,
})

const hold = statement({
  name: 'hold-chain-cursor',
  reads: { number: int8() },
  text: `SELECT number FROM chain_cursor WHERE chain = :chain AND name = :name FOR UPDATE`,
})

const share = statement({
  name: 'share-chain-cursor',
  reads: { number: int8() },
  text: `SELECT number FROM chain_cursor WHERE chain = :chain AND name = :name FOR SHARE`,
})

const insertBlocks = statement({
  name: 'insert-chain-blocks',
  text: `INSERT INTO chain_block (chain, number, hash, parent_hash, block_at)
    SELECT :chain, * FROM unnest(:each.number::int8[], :each.hash::text[], :each.parentHash::text[], :each.at::int8[])
    ON CONFLICT DO NOTHING`,
})

const forgetBlocks = statement({
  name: 'forget-chain-blocks',
  text: `DELETE FROM chain_block WHERE chain = :chain AND number < :number`,
})

const listDown = statement({
  name: 'list-chain-blocks-down',
  reads: { number: int8(), hash: text<Hex>(), at: named('block_at', time()) },
  text: `SELECT number, hash, block_at FROM chain_block WHERE chain = :chain AND number <= :from
    ORDER BY number DESC LIMIT :limit`,
})

const findBlocks = statement({
  name: 'find-chain-blocks',
  text: `SELECT number, hash FROM chain_block WHERE chain = :chain AND number = ANY(:numbers)`,
  reads: { number: int8(), hash: text<Hex>() },
})

const dropBlocks = statement({
  name: 'drop-chain-blocks-above',
  text: `DELETE FROM chain_block WHERE chain = :chain AND number > :height`,
})

const dropNativeMoves = statement({
  name: 'drop-deposit-coin-above',
  text: `DELETE FROM deposit_coin WHERE chain = :chain AND block_number > :height`,
})

const saveHeadRow = statement({
  name: 'save-chain-head',
  text: `INSERT INTO chain_head (chain, latest, safe, final, seen_at) VALUES (:chain, :number, :safe, :final, :now)
    ON CONFLICT (chain) DO UPDATE SET latest = excluded.latest, safe = excluded.safe, final = excluded.final,
      seen_at = excluded.seen_at
      WHERE (chain_head.latest, chain_head.safe, chain_head.final)
          IS DISTINCT FROM (excluded.latest, excluded.safe, excluded.final)
        OR excluded.seen_at - chain_head.seen_at >= 15000`,
})

const findHeadRow = statement({
  name: 'find-chain-head',
  text: `SELECT latest, safe, final FROM chain_head WHERE chain = :chain`,
})
