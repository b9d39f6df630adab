import type { Database } from '../../platform/database/database.ts'

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
    db.row<{ latest: bigint; final: bigint; seen_at: bigint }>(findHead, [chain]),
    db.row<{ block_at: bigint | null }>(findBlock, [chain]),
    db.row<{ block_at: bigint | null }>(findFinalBlock, [chain]),
    db.rows<{ name: string; number: bigint; block_at: bigint; moved_at: bigint }>(listCursors, [chain]),
  ])
  return {
    head: head && { latest: head.latest, final: head.final, seenAt: Number(head.seen_at) },
    newestBlockAt: block?.block_at == null ? undefined : Number(block.block_at),
    finalBlockAt: finalBlock?.block_at == null ? undefined : Number(finalBlock.block_at),
    cursors: cursors.map(({ name, number, block_at, moved_at }) => {
      return { name, number, blockAt: Number(block_at), movedAt: Number(moved_at) }
    }),
  }
}

/** What the database has still to do for this deployment. */
export type WorkState = {
  readonly pendingNotices: number
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
  readonly ownTransactions: readonly {
    readonly kind: string
    readonly state: string
    readonly count: number
  }[]
}

/** How much work waits, over all merchants. */
export async function readWorkState(db: Database, chain: number): Promise<WorkState> {
  const [notices, events, waiting, own, entries, platform] = await Promise.all([
    db.row<{ count: bigint; oldest: bigint | null }>(countNotices),
    db.row<{ count: bigint }>(countEvents),
    db.row<{ count: bigint }>(countWaiting, [chain]),
    db.rows<{ kind: string; state: string; count: bigint }>(countOwn, [chain]),
    db.row<{ count: bigint }>(countAudit),
    db.row<{ sequence: bigint; hash: string }>(findPlatformHead),
  ])
  return {
    pendingNotices: Number(notices?.count ?? 0n),
    oldestDueAt: notices?.oldest == null ? undefined : Number(notices.oldest),
    unnumberedEvents: Number(events?.count ?? 0n),
    waitingDeposits: Number(waiting?.count ?? 0n),
    audit: {
      entries: Number(entries?.count ?? 0n),
      platform: platform && { sequence: Number(platform.sequence), hash: platform.hash },
    },
    ownTransactions: own.map(({ kind, state, count }) => ({ kind, state, count: Number(count) })),
  }
}

/** Transactions of the service's own that no block has taken for long. */
export type StuckTransactions = { readonly count: number; readonly since: number | undefined }

/** The transactions of our own that were first written before `before` and are in no block. */
export async function readStuckTransactions(
  db: Database,
  chain: number,
  before: number,
): Promise<StuckTransactions> {
  const row = await db.row<{ count: bigint; since: bigint | null }>(findStuck, [chain, before])
  return { count: Number(row?.count ?? 0n), since: row?.since == null ? undefined : Number(row.since) }
}

/** The newest migration that was applied. */
export async function findNewestMigration(db: Database): Promise<string | undefined> {
  return (await db.row<{ name: string | null }>(findMigration))?.name ?? undefined
}

const findHead = {
  name: 'find-head-state',
  text: 'SELECT latest, final, seen_at FROM chain_head WHERE chain = $1',
}

const findBlock = {
  name: 'find-newest-block-time',
  text: 'SELECT max(block_at) AS block_at FROM chain_block WHERE chain = $1',
}

const findFinalBlock = {
  name: 'find-final-block-time',
  text: `SELECT max(block_at) AS block_at FROM chain_block
    WHERE chain = $1 AND number <= (SELECT final FROM chain_head WHERE chain = $1)`,
}

const listCursors = {
  name: 'list-cursor-states',
  text: 'SELECT name, number, block_at, moved_at FROM chain_cursor WHERE chain = $1 ORDER BY name',
}

const countNotices = {
  name: 'count-pending-notices',
  text: `SELECT count(merchant) AS count, min(next_at) AS oldest FROM notice WHERE state = 'pending'`,
}

const countEvents = {
  name: 'count-unnumbered-events',
  text: 'SELECT count(merchant) AS count FROM event WHERE number IS NULL',
}

const countWaiting = {
  name: 'count-waiting-deposits',
  text: 'SELECT count(merchant) AS count FROM sweep_waiting WHERE chain = $1',
}

const countOwn = {
  name: 'count-own-transactions',
  text: 'SELECT kind, state, count(*) AS count FROM own_transaction WHERE chain = $1 GROUP BY kind, state',
}

const findStuck = {
  name: 'find-stuck-own-transactions',
  text: `SELECT count(nonce) AS count, min(created_at) AS since FROM own_transaction
    WHERE chain = $1 AND state = 'signed' AND attempt = 0 AND created_at < $2`,
}

const findMigration = {
  name: 'find-newest-migration',
  text: 'SELECT max(name) AS name FROM migration',
}

const countAudit = {
  name: 'count-audit-entries',
  text: 'SELECT count(merchant) AS chains, coalesce(sum(sequence), 0)::bigint AS count FROM audit_head',
}

const findPlatformHead = {
  name: 'find-platform-audit-head',
  text: "SELECT sequence, hash FROM audit_head WHERE merchant = 'platform'",
}
