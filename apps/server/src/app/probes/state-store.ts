import { bool, int8, optional, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import type { RefusedWrites } from '../../platform/database/degraded.ts'
import { statement } from '../../platform/database/statement.ts'

export type CursorState = {
  readonly name: string
  readonly number: bigint
  readonly blockAt: number
  readonly movedAt: number
}

export type ChainState = {
  /** `undefined` before the first head poll. */
  readonly head: { readonly latest: bigint; readonly final: bigint; readonly seenAt: number } | undefined
  readonly newestBlockAt: number | undefined
  readonly finalBlockAt: number | undefined
  readonly cursors: readonly CursorState[]
}

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

export type WorkState = {
  readonly pendingDeliveries: number
  /** Time at which the oldest pending delivery was due, or `undefined` if there is none. */
  readonly oldestDueAt: number | undefined
  readonly unnumberedEvents: number
  /** Deposits worth less than the gas to sweep them. */
  readonly waitingDeposits: number
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

export async function readWorkState(db: Database, chain: number): Promise<WorkState> {
  const [messages, events, waiting, own, entries, platform] = await Promise.all([
    db.row(countDeliveries()),
    db.row(countEvents()),
    db.row(countWaiting({ chain })),
    db.rows(countOutgoing({ chain })),
    db.row(countAudit()),
    db.row(findPlatformHead()),
  ])
  return {
    pendingDeliveries: Number(messages?.count ?? 0n),
    oldestDueAt: messages?.oldest == null ? undefined : Number(messages.oldest),
    unnumberedEvents: Number(events?.count ?? 0n),
    waitingDeposits: Number(waiting?.count ?? 0n),
    audit: {
      entries: Number(entries?.count ?? 0n),
      platform: platform && { sequence: Number(platform.sequence), hash: platform.hash },
    },
    outgoingTransactions: own.map(({ kind, state, count }) => ({ kind, state, count: Number(count) })),
  }
}

/** Outgoing transactions that have been pending for too long. */
type StuckTransactions = { readonly count: number; readonly since: number | undefined }

export async function readStuckTransactions(
  db: Database,
  chain: number,
  before: number,
): Promise<StuckTransactions> {
  const row = await db.row(findStuck({ chain, before }))
  return { count: Number(row?.count ?? 0n), since: row?.since == null ? undefined : Number(row.since) }
}

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
  name: 'count-pending-messages',
  reads: { count: int8(), oldest: optional(int8()) },
  text: `SELECT count(merchant) AS count, min(next_at) AS oldest FROM outbox_message WHERE state = 'pending'`,
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

const countOutgoing = statement({
  name: 'count-outgoing-transactions',
  reads: { kind: text(), state: text(), count: int8() },
  text: 'SELECT kind, state, count(*) AS count FROM outgoing_transaction WHERE chain = :chain GROUP BY kind, state',
})

const findStuck = statement({
  name: 'find-stuck-outgoing-transactions',
  reads: { count: int8(), since: optional(int8()) },
  text: `SELECT count(nonce) AS count, min(created_at) AS since FROM outgoing_transaction
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

type ArchiveState = {
  readonly isOn: boolean
  readonly lastFile: string | null
  /** `undefined` if archiving is off or working. */
  readonly error: 'no_command' | 'fails' | undefined
}

/** Returns the state of WAL archiving. A base backup and its verification succeed even without archiving. */
export async function readArchiveState(db: Database): Promise<ArchiveState> {
  const state = await db.row(findState())
  const isOn = state !== undefined && state.mode !== 'off'
  const error = !isOn ? undefined : !state.hasCommand ? 'no_command' : state.fails ? 'fails' : undefined
  return { isOn, lastFile: state?.lastFile ?? null, error }
}

const findState = statement({
  name: 'find-archive-state',
  reads: { mode: text(), hasCommand: bool(), fails: bool(), lastFile: optional(text()) },
  text: `SELECT current_setting('archive_mode') AS mode, last_archived_wal AS last_file,
      current_setting('archive_command') <> '' OR current_setting('archive_library') <> '' AS has_command,
      last_failed_time IS NOT NULL AND (last_archived_time IS NULL OR last_failed_time > last_archived_time) AS fails
    FROM pg_stat_archiver`,
})

type WritesError = 'standby' | 'read_only' | 'disk_full'

/** Returns why the database rejects writes, or `undefined`. A full disk is detected by failed writes. */
export async function findWritesError(
  db: Database,
  refusedWrites: RefusedWrites,
): Promise<WritesError | undefined> {
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
