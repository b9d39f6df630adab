import type { UnixMs } from '@sluice/protocol/time.ts'
import { int8, optional } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { columnsOf, table } from '../platform/database/table.ts'
import { cursorNames } from '../platform/jobs/names.ts'

/** Chain head, and the block up to which transfers were read without a gap. */
export type ChainCoverage = {
  readonly latest: bigint
  readonly scanned: bigint | undefined
  /** Time of the last block read. Every earlier transfer has been seen. */
  readonly scannedTo: UnixMs | undefined
}

/** Returns how far the chain was read. Deadlines depend on it: nothing expires in unread blocks. */
export async function findCoverage(db: Database, chainId: number): Promise<ChainCoverage> {
  return readCoverage(await db.row(find({ chainId })))
}

/** Returns the coverage from a stored row. Without a row, nothing has been read yet. */
export function readCoverage(row: StoredCoverage | undefined): ChainCoverage {
  return {
    latest: row?.latest ?? 0n,
    scanned: row?.number ?? undefined,
    scannedTo: row?.blockAt == null ? undefined : (Number(row.blockAt) as UnixMs),
  }
}

export type StoredCoverage = {
  readonly latest: bigint | undefined
  readonly number: bigint | undefined
  readonly blockAt: bigint | undefined
}

/** Columns of {@link coverageOfChain}, for statements that include it. */
export const coverageTable = table<StoredCoverage>('chain_coverage', {
  latest: optional(int8()),
  number: optional(int8()),
  blockAt: optional(int8()),
})

/** SQL that selects the coverage of `:chainId`, as exactly one row. */
export const coverageOfChain = `FROM (SELECT :chainId::int8 AS chain) AS asked
    LEFT JOIN chain_head h ON h.chain = asked.chain
    LEFT JOIN chain_cursor c ON c.chain = asked.chain AND c.name = '${cursorNames.transfers}'` as const

const find = statement({
  name: 'find-coverage',
  reads: coverageTable,
  text: `SELECT ${columnsOf(coverageTable)} ${coverageOfChain}`,
})
