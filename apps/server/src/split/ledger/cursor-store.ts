import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import { cursorNames } from '../../platform/jobs/names.ts'

/** The last final block whose movements of splits are in the books. */
export type DistributionCursor = { readonly number: bigint; readonly hash: Hex }

/** Where the reading of final blocks stands; `undefined` before the first. */
export async function findDistributionCursor(
  db: Database,
  chain: number,
): Promise<DistributionCursor | undefined> {
  const row = await db.row<{ number: bigint; hash: string }>(find, [chain])
  return row && { number: row.number, hash: row.hash as Hex }
}

/** Where a block stands and when it was made. */
export type CursorTarget = DistributionCursor & { readonly at: UnixMs }

/** Begins the reading above a block. Without effect where it has begun already. */
export async function startDistributionCursor(
  db: Database,
  chain: number,
  start: CursorTarget,
  now: UnixMs,
): Promise<void> {
  await db.run(insert, [chain, start.number, start.hash, start.at, now])
}

/**
 * Moves the cursor from where it was found; `false` where somebody else moved it meanwhile, and then nothing
 * read for this range may be written. Holds the row until the transaction ends.
 */
export async function moveDistributionCursor(
  tx: Database,
  chain: number,
  from: DistributionCursor,
  to: CursorTarget,
  now: UnixMs,
): Promise<boolean> {
  return (await tx.run(move, [chain, from.number, from.hash, to.number, to.hash, to.at, now])) > 0
}

/** Holds the cursor's row until the transaction ends; `false` where it does not stand at `at` any more. */
export async function holdDistributionCursor(
  tx: Database,
  chain: number,
  at: DistributionCursor,
): Promise<boolean> {
  return (await tx.row(hold, [chain, at.number, at.hash])) !== undefined
}

const find = {
  name: 'find-distribution-cursor',
  text: `SELECT number, hash FROM chain_cursor WHERE chain = $1 AND name = '${cursorNames.distributions}'`,
}

const hold = {
  name: 'hold-distribution-cursor',
  text: `SELECT number FROM chain_cursor WHERE chain = $1 AND name = '${cursorNames.distributions}' AND number = $2 AND hash = $3
    FOR UPDATE`,
}

const insert = {
  name: 'start-distribution-cursor',
  text: `INSERT INTO chain_cursor (chain, name, number, hash, block_at, moved_at)
    VALUES ($1, '${cursorNames.distributions}', $2, $3, $4, $5) ON CONFLICT (chain, name) DO NOTHING`,
}

const move = {
  name: 'move-distribution-cursor',
  text: `UPDATE chain_cursor SET number = $4, hash = $5, block_at = $6, moved_at = $7
    WHERE chain = $1 AND name = '${cursorNames.distributions}' AND number = $2 AND hash = $3`,
}
