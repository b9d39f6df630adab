import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Hex } from '../../chain/chain.ts'
import { int8, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { cursorNames } from '../../platform/jobs/names.ts'

export type DistributionCursor = { readonly number: bigint; readonly hash: Hex }

export async function findDistributionCursor(
  db: Database,
  chain: number,
): Promise<DistributionCursor | undefined> {
  return db.row(find({ chain }))
}

export type CursorTarget = DistributionCursor & { readonly at: UnixMs }

export async function startDistributionCursor(
  db: Database,
  chain: number,
  start: CursorTarget,
  now: UnixMs,
): Promise<void> {
  await db.run(insert({ chain, number: start.number, hash: start.hash, at: start.at, now }))
}

/**
 * Moves the cursor and locks its row until the transaction ends.
 *
 * Returns `false` if another process moved it. In that case, nothing that was read for this range may be
 * written.
 */
export async function moveDistributionCursor(
  tx: Database,
  chain: number,
  from: DistributionCursor,
  to: CursorTarget,
  now: UnixMs,
): Promise<boolean> {
  return (await tx.run(move({ chain, from, to, now }))) > 0
}

/** Locks the cursor until the transaction ends; returns `false` if it has moved. */
export async function holdDistributionCursor(
  tx: Database,
  chain: number,
  at: DistributionCursor,
): Promise<boolean> {
  return (await tx.row(hold({ chain, number: at.number, hash: at.hash }))) !== undefined
}

/** Locks the cursor until the transaction ends, so that no other process writes the ledger. */
export async function lockDistributionCursor(tx: Database, chain: number): Promise<void> {
  await tx.row(lock({ chain }))
}

const lock = statement({
  name: 'lock-split-books',
  text: `SELECT number FROM chain_cursor WHERE chain = :chain AND name = '${cursorNames.distributions}' FOR UPDATE`,
})

const find = statement({
  name: 'find-distribution-cursor',
  reads: { number: int8(), hash: text<Hex>() },
  text: `SELECT number, hash FROM chain_cursor WHERE chain = :chain AND name = '${cursorNames.distributions}'`,
})

const hold = statement({
  name: 'hold-distribution-cursor',
  text: `SELECT number FROM chain_cursor WHERE chain = :chain AND name = '${cursorNames.distributions}'
    AND number = :number AND hash = :hash
    FOR UPDATE`,
})

const insert = statement({
  name: 'start-distribution-cursor',
  text: `INSERT INTO chain_cursor (chain, name, number, hash, block_at, moved_at)
    VALUES (:chain, '${cursorNames.distributions}', :number, :hash, :at, :now) ON CONFLICT (chain, name) DO NOTHING`,
})

const move = statement({
  name: 'move-distribution-cursor',
  text: `UPDATE chain_cursor SET number = :to.number, hash = :to.hash, block_at = :to.at, moved_at = :now
    WHERE chain = :chain AND name = '${cursorNames.distributions}' AND number = :from.number AND hash = :from.hash`,
})
