import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Database } from '../platform/database/database.ts'
import { cursorNames } from '../platform/jobs/names.ts'

/** How much of the chain is known: what its head was, and up to where transfers were read without a gap. */
export type ChainCoverage = {
  readonly latest: bigint
  readonly scanned: bigint | undefined
  /** Block time of the last block read: what lay before it was seen if it was there. */
  readonly scannedTo: UnixMs | undefined
}

/** The coverage of the deployment's chain as the watcher last wrote it down. */
export async function findCoverage(db: Database, chainId: number): Promise<ChainCoverage> {
  const row = await db.row<{ latest: bigint | null; number: bigint | null; block_at: bigint | null }>(find, [
    chainId,
  ])
  return {
    latest: row?.latest ?? 0n,
    scanned: row?.number ?? undefined,
    scannedTo: row?.block_at == null ? undefined : (Number(row.block_at) as UnixMs),
  }
}

const find = {
  name: 'find-coverage',
  text: `SELECT h.latest, c.number, c.block_at FROM (SELECT $1::int8 AS chain) AS asked
    LEFT JOIN chain_head h ON h.chain = asked.chain
    LEFT JOIN chain_cursor c ON c.chain = asked.chain AND c.name = '${cursorNames.transfers}'`,
}
