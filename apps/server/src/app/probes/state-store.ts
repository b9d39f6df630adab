import { bool, int8, optional, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import type { RefusedWrites } from '../../platform/database/degraded.ts'
import { statement } from '../../platform/database/statement.ts'

/** How far a watcher has read, and when it last moved. */
export type CursorState = {
  readonly name: string
  readonly number: bigint
  /** The time of that block. */
  readonly blockAt: number
  readonly movedAt: number
}

/** What is known of the chain in this database. */
export type ChainState = {
  /** `undefined` before the chain was first looked at. */
  readonly head: { readonly latest: bigint; readonly final: bigint; readonly seenAt: number } | undefined
  /** The block time of the newest block that is remembered. */
  readonly newestBlockAt: number | undefined
  /** The same of the newest that is final. */
  readonly finalBlockAt: number | undefined
  readonly cursors: readonly CursorState[]
}

/** Where the chain and its watchers stand. */
export async function readChainState(db: Database, chain: number): Promise<ChainState> {
  const [head, block, finalBlock, cursors] = await Promise.all([
    db.row(findHead({ chain })),
    db.row(findBlock({ chain })),
    db.row(findFinalBlock({ chain })),
    db.rows(listCursors({ chain })),
  ])
  return {
    head: head && { latest: head.latest, final: head.final, seenAt: Number(head.seenAt) },
    newestBlockAt: block?.blockAt == null ? undefined : Number(block.blockAt),
    finalBlockAt: finalBlock?.blockAt == null ? undefined : Number(finalBlock.blockAt),
    cursors: cursors.map(({ name, number, blockAt, movedAt }) => {
      return { name, number, blockAt: Number(blockAt), movedAt: Number(movedAt) }
    }),
  }
}

/** What the database has still to do for this deployment. */
export type WorkState = {
  readonly pendingDeliveries: number
  /** When the notice that waits longest was due; `undefined` where none waits. */
  readonly oldestDueAt: number | undefined
  readonly unnumberedEvents: number
  /** Deposits that are not worth their sweep. */
  readonly waitingDeposits: number
  /** Entries of all audit chains, and where the platform's own stands. */
  readonly audit: {
    readonly entries: number
    readonly platform: { sequence: number; hash: string } | undefined
  }
  readonly outgoingTransactions: readonly {
    readonly kind: string
    readonly state: string
    readonly count: number
  }[]
}

/** How much work waits, over all merchants. */
export async function readWorkState(db: Database, chain: number): Promise<WorkState> {
  const [notices, events, waiting, own, entries, platform] = await Promise.all([
    db.row(countDeliveries()),
    db.row(countEvents()),
    db.row(countWaiting({ chain })),
    db.rows(countOwn({ chain })),
    db.row(countAudit()),
    db.row(findPlatformHead()),
  ])
  return {
    pendingDeliveries: Number(notices?.count ?? 0n),
    oldestDueAt: notices?.oldest == null ? undefined : Number(notices.oldest),
    unnumberedEvents: Number(events?.count ?? 0n),
    waitingDeposits: Number(waiting?.count ?? 0n),
    audit: {
      entries: Number(entries?.count ?? 0n),
      platform: platform && { sequence: Number(platform.sequence), hash: platform.hash },
    },
    outgoingTransactions: own.map(({ kind, state, count }) => ({ kind, state, count: Number(count) })),
  }
}

/** Transactions of the service's own that no block has taken for long. */
type StuckTransactions = { readonly count: number; readonly since: number | undefined }

/** The transactions of our own that were first written before `before` and are in no block. */
export async function readStuckTransactions(
  db: Database,
  chain: number,
  before: number,
): Promise<StuckTransactions> {
  const row = await db.row(findStuck({ chain, before }))
  return { count: Number(row?.count ?? 0n), since: row?.since == null ? undefined : Number(row.since) }
}

/** The newest migration that was applied. */
export async function findNewestMigration(db: Database): Promise<string | undefined> {
  return (await db.row(findMigration()))?.name ?? undefined
}

const findHead = statement({
  name: 'find-head-state',
  reads: { latest: int8(), final: int8(), seenAt: int8() },
  text: 'SELECT latest, final, seen_at FROM chain_head WHERE chain = :chain',
})

const findBlock = statement({
  name: 'find-newest-block-time',
  reads: { blockAt: optional(int8()) },
  text: 'SELECT max(block_at) AS block_at FROM chain_block WHERE chain = :chain',
})

const findFinalBlock = statement({
  name: 'find-final-block-time',
  reads: { blockAt: optional(int8()) },
  text: `SELECT max(block_at) AS block_at FROM chain_block
    WHERE chain = :chain AND number <= (SELECT final FROM chain_head WHERE chain = :chain)`,
})

const listCursors = statement({
  name: 'list-cursor-states',
  reads: { name: text(), number: int8(), blockAt: int8(), movedAt: int8() },
  text: 'SELECT name, number, block_at, moved_at FROM chain_cursor WHERE chain = :chain ORDER BY name',
})

const countDeliveries = statement({
  name: 'count-pending-notices',
  reads: { count: int8(), oldest: optional(int8()) },
  text: `SELECT count(merchant) AS count, min(next_at) AS oldest FROM notice WHERE state = 'pending'`,
})

const countEvents = statement({
  name: 'count-unnumbered-events',
  reads: { count: int8() },
  text: 'SELECT count(merchant) AS count FROM event WHERE number IS NULL',
})

const countWaiting = statement({
  name: 'count-waiting-deposits',
  reads: { count: int8() },
  text: 'SELECT count(merchant) AS count FROM sweep_waiting WHERE chain = :chain',
})

const countOwn = statement({
  name: 'count-own-transactions',
  reads: { kind: text(), state: text(), count: int8() },
  text: 'SELECT kind, state, count(*) AS count FROM own_transaction WHERE chain = :chain GROUP BY kind, state',
})

const findStuck = statement({
  name: 'find-stuck-own-transactions',
  reads: { count: int8(), since: optional(int8()) },
  text: `SELECT count(nonce) AS count, min(created_at) AS since FROM own_transaction
    WHERE chain = :chain AND state = 'signed' AND attempt = 0 AND created_at < :before`,
})

const findMigration = statement({
  name: 'find-newest-migration',
  reads: { name: optional(text()) },
  text: 'SELECT max(name) AS name FROM migration',
})

const countAudit = statement({
  name: 'count-audit-entries',
  reads: { count: int8() },
  text: 'SELECT count(merchant) AS chains, coalesce(sum(sequence), 0)::bigint AS count FROM audit_head',
})

const findPlatformHead = statement({
  name: 'find-platform-audit-head',
  reads: { sequence: int8(), hash: text() },
  text: "SELECT sequence, hash FROM audit_head WHERE merchant = 'platform'",
})

/** State of the archive that PostgreSQL keeps of its write-ahead log. */
type ArchiveState = {
  readonly isOn: boolean
  /** Name of the last file that was archived since the statistics were reset. */
  readonly lastFile: string | null
  /** `undefined` if archiving is off, or works. */
  readonly fault: 'no_command' | 'fails' | undefined
}

/** Reads whether PostgreSQL archives its log: a base backup and its verification succeed without it. */
export async function readArchiveState(db: Database): Promise<ArchiveState> {
  const state = await db.row(findState())
  const isOn = state !== undefined && state.mode !== 'off'
  const fault = !isOn ? undefined : !state.hasCommand ? 'no_command' : state.fails ? 'fails' : undefined
  return { isOn, lastFile: state?.lastFile ?? null, fault }
}

const findState = statement({
  name: 'find-archive-state',
  reads: { mode: text(), hasCommand: bool(), fails: bool(), lastFile: optional(text()) },
  text: `SELECT current_setting('archive_mode') AS mode, last_archived_wal AS last_file,
      current_setting('archive_command') <> '' OR current_setting('archive_library') <> '' AS has_command,
      last_failed_time IS NOT NULL AND (last_archived_time IS NULL OR last_failed_time > last_archived_time) AS fails
    FROM pg_stat_archiver`,
})

/** Why a database that answers takes no writes: it follows another one, it is set to only read, or its disk is full. */
type WritesFault = 'standby' | 'read_only' | 'disk_full'

/** Why a database takes no writes; that its disk is full is known from what was written. `undefined` where it takes them. */
export async function findWritesFault(
  db: Database,
  refusedWrites: RefusedWrites,
): Promise<WritesFault | undefined> {
  const state = await db.row(findWriteState())
  if (state?.isStandby) return 'standby'
  if (state?.onlyReads) return 'read_only'
  return refusedWrites.isDiskFull() ? 'disk_full' : undefined
}

const findWriteState = statement({
  name: 'find-write-state',
  reads: { isStandby: bool(), onlyReads: bool() },
  text: `SELECT pg_is_in_recovery() AS is_standby, current_setting('transaction_read_only') = 'on' AS only_reads`,
})
