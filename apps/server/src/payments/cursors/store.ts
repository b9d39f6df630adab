import type { UnixMs } from '@sluice/protocol/time.ts'
import type { BlockHeader, ChainHead, Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import type { FinalityTags } from './finality.ts'

/** How far a watcher has read: this block and every one below it. */
export type Cursor = { readonly number: bigint; readonly hash: Hex; readonly at: UnixMs }

/** Blocks this far below the final one are still remembered, for chains that lose final blocks. */
export const keptBelowFinal = 2_000n

/** Where the watcher `name` stands, or `undefined` before its first round. */
export async function findCursor(db: Database, chain: number, name: string): Promise<Cursor | undefined> {
  const row = await db.row<CursorRow>(find, [chain, name])
  return row && { number: row.number, hash: row.hash as Hex, at: Number(row.block_at) as UnixMs }
}

/** Puts the watcher at its first block; `false` where another process has done so. */
export async function startCursor(
  tx: Database,
  chain: number,
  name: string,
  at: Cursor,
  now: UnixMs,
): Promise<boolean> {
  return (await tx.run(start, [chain, name, at.number, at.hash, at.at, now])) > 0
}

/**
 * Moves the watcher, and holds its row until the transaction ends. `false` where it no longer stands at
 * `from`: another process has done this work, and nothing of it may be done again.
 */
export async function moveCursor(
  tx: Database,
  chain: number,
  name: string,
  from: Cursor,
  to: Cursor,
  now: UnixMs,
): Promise<boolean> {
  const values = [chain, name, from.number, from.hash, to.number, to.hash, to.at, now]
  return (await tx.run(move, values)) > 0
}

/**
 * Holds the watcher's row until the transaction ends; `false` where it does not stand at or above `block`, or
 * that block is no longer one it has read: what was read at it may not be written then.
 */
export async function holdCursor(tx: Database, chain: number, name: string, block: Cursor): Promise<boolean> {
  const row = await tx.row<{ number: bigint }>(hold, [chain, name])
  return row !== undefined && row.number >= block.number && areKnownAlike(tx, chain, [block])
}

/** Remembers blocks that were read, in which case a reorg shows, and forgets those long final. */
export async function saveBlocks(
  tx: Database,
  chain: number,
  blocks: readonly BlockHeader[],
  final: bigint,
): Promise<void> {
  if (blocks.length > 0)
    await tx.run(insertBlocks, [
      chain,
      blocks.map((block) => block.number),
      blocks.map((block) => block.hash),
      blocks.map((block) => block.parentHash),
      blocks.map((block) => block.at),
    ])
  await tx.run(forgetBlocks, [chain, final - keptBelowFinal])
}

/** Remembered blocks at and below a height, highest first. */
export async function listBlocksDown(
  db: Database,
  chain: number,
  from: bigint,
  limit: number,
): Promise<Cursor[]> {
  const rows = await db.rows<CursorRow>(listDown, [chain, from, limit])
  return rows.map((row) => ({
    number: row.number,
    hash: row.hash as Hex,
    at: Number(row.block_at) as UnixMs,
  }))
}

/** The hashes of blocks that are remembered as part of the chain, by their numbers. */
export async function findBlockHashes(
  db: Database,
  chain: number,
  numbers: readonly bigint[],
): Promise<Map<bigint, Hex>> {
  if (numbers.length === 0) return new Map()
  const rows = await db.rows<{ number: bigint; hash: string }>(findBlocks, [chain, numbers])
  return new Map(rows.map(({ number, hash }) => [number, hash as Hex]))
}

/** Whether what is remembered of these heights is the same; heights that are not remembered are no fault. */
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

/** Forgets the blocks above a height, and the coin that moved in them: both are read again. */
export async function dropBlocksAbove(tx: Database, chain: number, height: bigint): Promise<void> {
  await tx.run(dropBlocks, [chain, height])
  await tx.run(dropCoin, [chain, height])
}

/** Writes down where the chain stands, for those who show it. */
export async function saveHead(db: Database, chain: number, head: ChainHead, now: UnixMs): Promise<void> {
  await db.run(saveHeadRow, [chain, head.latest.number, head.safe.number, head.final.number, now])
}

/** Where the chain stood when it was last looked at; all zero before that. */
export async function findTags(db: Database, chain: number): Promise<FinalityTags> {
  const { latest, safe, final } = await findSeenHead(db, chain)
  return { latest, safe, final }
}

/** As {@link findTags}, with the time it was looked at. */
export async function findSeenHead(
  db: Database,
  chain: number,
): Promise<FinalityTags & { readonly seenAt: number }> {
  const row = await db.row<FinalityTags & { seen_at: bigint }>(findHeadRow, [chain])
  if (!row) return { latest: 0n, safe: 0n, final: 0n, seenAt: 0 }
  const { seen_at, ...tags } = row
  return { ...tags, seenAt: Number(seen_at) }
}

type CursorRow = { number: bigint; hash: string; block_at: bigint }

const find = {
  name: 'find-chain-cursor',
  text: `SELECT number, hash, block_at FROM chain_cursor WHERE chain = $1 AND name = $2`,
}

const start = {
  name: 'start-chain-cursor',
  text: `INSERT INTO chain_cursor (chain, name, number, hash, block_at, moved_at) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT DO NOTHING`,
}

const move = {
  name: 'move-chain-cursor',
  text: `UPDATE chain_cursor SET number = $5, hash = $6, block_at = $7, moved_at = $8
    WHERE chain = $1 AND name = $2 AND number = $3 AND hash = $4`,
}

const hold = {
  name: 'hold-chain-cursor',
  text: `SELECT number FROM chain_cursor WHERE chain = $1 AND name = $2 FOR UPDATE`,
}

const insertBlocks = {
  name: 'insert-chain-blocks',
  text: `INSERT INTO chain_block (chain, number, hash, parent_hash, block_at)
    SELECT $1, * FROM unnest($2::int8[], $3::text[], $4::text[], $5::int8[])
    ON CONFLICT DO NOTHING`,
}

const forgetBlocks = {
  name: 'forget-chain-blocks',
  text: `DELETE FROM chain_block WHERE chain = $1 AND number < $2`,
}

const listDown = {
  name: 'list-chain-blocks-down',
  text: `SELECT number, hash, block_at FROM chain_block WHERE chain = $1 AND number <= $2
    ORDER BY number DESC LIMIT $3`,
}

const findBlocks = {
  name: 'find-chain-blocks',
  text: `SELECT number, hash FROM chain_block WHERE chain = $1 AND number = ANY($2)`,
}

const dropBlocks = {
  name: 'drop-chain-blocks-above',
  text: `DELETE FROM chain_block WHERE chain = $1 AND number > $2`,
}

const dropCoin = {
  name: 'drop-deposit-coin-above',
  text: `DELETE FROM deposit_coin WHERE chain = $1 AND block_number > $2`,
}

const saveHeadRow = {
  name: 'save-chain-head',
  text: `INSERT INTO chain_head (chain, latest, safe, final, seen_at) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (chain) DO UPDATE SET latest = excluded.latest, safe = excluded.safe, final = excluded.final,
      seen_at = excluded.seen_at`,
}

const findHeadRow = {
  name: 'find-chain-head',
  text: `SELECT latest, safe, final, seen_at FROM chain_head WHERE chain = $1`,
}
