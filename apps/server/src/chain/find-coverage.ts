import type { UnixMs } from '@sluice/protocol/time.ts'
import { int8, optional } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { columnsOf, table } from '../platform/database/table.ts'
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
  return readCoverage(await db.row(find({ chainId })))
}

/** The coverage that is stored so. */
export function readCoverage(row: StoredCoverage | undefined): ChainCoverage {
  return {
    latest: row?.latest ?? 0n,
    scanned: row?.number ?? undefined,
    scannedTo: row?.blockAt == null ? undefined : (Number(row.blockAt) as UnixMs),
  }
}

/** What is stored of it. */
export type StoredCoverage = {
  readonly latest: bigint | undefined
  readonly number: bigint | undefined
  readonly blockAt: bigint | undefined
}

/** How it is stored: one row, or none. */
export const coverageTable = table<StoredCoverage>('chain_coverage', {
  latest: optional(int8()),
  number: optional(int8()),
  blockAt: optional(int8()),
})

/** What {@link findCoverage} reads, in a statement that names the chain as `chainId`. */
export const coverageOfChain = `FROM (SELECT :chainId::int8 AS chain) AS asked
    LEFT JOIN chain_head h ON h.chain = asked.chain
    LEFT JOIN chain_cursor c ON c.chain = asked.chain AND c.name = '${cursorNames.transfers}'` as const

const find = statement({
  name: 'find-coverage',
  reads: coverageTable,
  text: `SELECT ${columnsOf(coverageTable)} ${coverageOfChain}`,
})
