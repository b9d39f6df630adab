import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import { int8, optional, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { cursorNames } from '../../platform/jobs/names.ts'
import { watchForMs } from '../attempts/attempt.ts'

/** A period that is missing from the database, and the progress of its scan. */
export type LostTime = {
  readonly fromAt: UnixMs
  readonly toAt: UnixMs
  readonly fromBlock: bigint
  readonly noticedAt: UnixMs
  readonly nextPlace: bigint
  readonly lookAt: UnixMs
  readonly foundAt: UnixMs | undefined
}

/**
 * Maximum number of stored periods without a finding: a process that crashes at startup adds one each time.
 */
const keptAtMost = 100

/**
 * Records the time since the last write as lost: the database may be an older copy.
 *
 * Call this before any other write.
 */
export async function noteStart(needs: {
  readonly db: Database
  readonly chain: { readonly id: number }
  readonly clock: Clock
}): Promise<void> {
  const last = await needs.db.row(findLast({ chain: needs.chain.id }))
  if (last?.at != null) await noteLostTime(needs, { fromAt: last.at, fromBlock: last.number })
}

/** Assumed maximum difference between the clocks of PostgreSQL and the service. */
const maxSkewMs = 30_000

/**
 * Returns the time of the last change that PostgreSQL received as a standby or from an archive, until its next
 * restart.
 */
export async function findPromotion(db: Database): Promise<UnixMs | undefined> {
  return (await db.row(promotion()))?.at
}

/** Records the time since the last change that the promoted database received as lost. Safe to repeat. */
export async function notePromotion(
  needs: Parameters<typeof noteStart>[0],
  promotedAt: UnixMs,
): Promise<void> {
  const fromAt = addMs(promotedAt, -maxSkewMs)
  const block = await needs.db.row(findBlockBefore({ chain: needs.chain.id, at: fromAt }))
  await noteLostTime(needs, { fromAt, fromBlock: block?.number ?? 0n })
}

export async function noteLostTime(
  needs: Parameters<typeof noteStart>[0],
  lost: Pick<LostTime, 'fromAt' | 'fromBlock'>,
): Promise<void> {
  const { db, chain, clock } = needs
  const now = clock.now()
  if (lost.fromAt >= now) return
  await db.run(prune({ chain: chain.id, noticedAt: now - watchForMs, keptAtMost }))
  await db.run(insert({ chain: chain.id, ...lost, now }))
}

export async function findDueLostTime(
  db: Database,
  chain: number,
  now: UnixMs,
): Promise<LostTime | undefined> {
  return db.row(findDue({ chain, now }))
}

export async function moveLook(
  db: Database,
  chain: number,
  { fromAt, lookAt }: LostTime,
  to: Pick<LostTime, 'nextPlace' | 'lookAt'>,
): Promise<boolean> {
  return (await db.run(move({ chain, fromAt, lookAt, to }))) > 0
}

export async function markFound(tx: Database, chain: number, lost: LostTime, now: UnixMs): Promise<void> {
  await tx.run(mark({ chain, fromAt: lost.fromAt, now }))
}

export async function findLastFound(db: Database, chain: number): Promise<UnixMs | undefined> {
  return (await db.row(lastFound({ chain })))?.foundAt
}

export async function listLastSweeps(
  tx: Database,
  chain: number,
  { merchant, reference }: { readonly merchant: string; readonly reference: string },
): Promise<Map<string, { readonly blockNumber: bigint; readonly logIndex: bigint }>> {
  const rows = await tx.rows(lastSweeps({ merchant, chain, reference }))
  return new Map(rows.map(({ token, ...place }) => [token, place]))
}

const findLast = statement({
  name: 'find-last-work',
  reads: { at: optional(time()), number: int8() },
  text: `SELECT greatest(max(moved_at), (SELECT seen_at FROM chain_head WHERE chain = :chain)) AS at,
      coalesce(max(number) FILTER (WHERE name = '${cursorNames.transfers}'), 0) AS number
    FROM chain_cursor WHERE chain = :chain`,
})

const promotion = statement({
  name: 'find-promotion',
  reads: { at: optional(time()) },
  text: `SELECT CASE WHEN NOT pg_is_in_recovery()
    THEN (extract(epoch FROM pg_last_xact_replay_timestamp()) * 1000)::int8 END AS at`,
})

const findBlockBefore = statement({
  name: 'find-block-before',
  reads: { number: int8() },
  text: `SELECT coalesce(max(number) FILTER (WHERE block_at <= :at), min(number), 0) AS number FROM chain_block
    WHERE chain = :chain`,
})

const insert = statement({
  name: 'insert-lost-time',
  text: `INSERT INTO lost_time (chain, from_at, to_at, from_block, noticed_at, next_place, look_at)
    VALUES (:chain, :fromAt, :now, :fromBlock, :now, 0, :now)
    ON CONFLICT (chain, from_at) DO UPDATE SET to_at = greatest(lost_time.to_at, excluded.to_at), next_place = 0,
      look_at = least(lost_time.look_at, excluded.look_at)`,
})

const prune = statement({
  name: 'prune-lost-time',
  text: `DELETE FROM lost_time WHERE chain = :chain AND (noticed_at < :noticedAt OR found_at IS NULL AND from_at <= (
    SELECT from_at FROM lost_time WHERE chain = :chain AND found_at IS NULL ORDER BY from_at DESC
    OFFSET :keptAtMost LIMIT 1))`,
})

const findDue = statement({
  name: 'find-due-lost-time',
  reads: {
    fromAt: time(),
    toAt: time(),
    fromBlock: int8(),
    noticedAt: time(),
    nextPlace: int8(),
    lookAt: time(),
    foundAt: optional(time()),
  },
  text: `SELECT from_at, to_at, from_block, noticed_at, next_place, look_at, found_at FROM lost_time
    WHERE chain = :chain AND look_at <= :now ORDER BY look_at, from_at LIMIT 1`,
})

const move = statement({
  name: 'move-lost-time-look',
  text: `UPDATE lost_time SET next_place = :to.nextPlace, look_at = :to.lookAt
    WHERE chain = :chain AND from_at = :fromAt AND look_at = :lookAt`,
})

const mark = statement({
  name: 'mark-lost-time-found',
  text: 'UPDATE lost_time SET found_at = :now WHERE chain = :chain AND from_at = :fromAt',
})

const lastFound = statement({
  name: 'find-last-found-deposit',
  reads: { foundAt: optional(time()) },
  text: 'SELECT max(found_at) AS found_at FROM lost_time WHERE chain = :chain',
})

const lastSweeps = statement({
  name: 'list-last-sweeps-of-reference',
  reads: { token: text(), blockNumber: int8(), logIndex: int8() },
  text: `SELECT DISTINCT ON (token_address) token_address AS token, block_number, log_index FROM split_arrival
    WHERE merchant = :merchant AND chain = :chain AND reference = :reference AND kind = 'sweep' AND orphaned_at IS NULL
    ORDER BY token_address, block_number DESC, log_index DESC`,
})
