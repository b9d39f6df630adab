import { findNetwork, isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import type { ChainTime } from '../../chain/chain-time.ts'
import { stuckAlertMs } from '../../chain/transactions/settle.ts'
import type { FactoryWatch } from '../../chain/validate-factory.ts'
import { type Clock, wait } from '../../kernel/clock.ts'
import { isSeedConfirmed } from '../../payments/attempts/recovery-seed.ts'
import { findLastFound } from '../../payments/recovery/lost-time-store.ts'
import type { Database } from '../../platform/database/database.ts'
import type { RefusedWrites } from '../../platform/database/degraded.ts'
import { countDeferred, type DeferredItem, listAllDeferred } from '../../platform/jobs/deferred-store.ts'
import { cursorNames } from '../../platform/jobs/names.ts'
import type { DataFolderState } from '../../platform/process/data-folder.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'
import {
  type ChainState,
  type CursorState,
  findNewestMigration,
  findWritesError,
  readArchiveState,
  readChainState,
  readStuckTransactions,
} from './state-store.ts'

const patienceMs = 2_000
const staleHeadMs = 60_000
const itemsShown = 20
const maxSkewMs = 30_000

type Check = { readonly ok: boolean } & Readonly<Record<string, unknown>>

/**
 * `not_ready` without the database or the split factory; `degraded` if the chain is not followed or if an
 * operator must act.
 */
type Readiness = {
  readonly status: 'ready' | 'degraded' | 'not_ready'
  readonly checks: Readonly<Record<string, Check>>
}

export type ReadinessNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly chain: { readonly id: number; readonly time?: Pick<ChainTime, 'behindMs'> }
  readonly newestMigration: string
  readonly factory: FactoryWatch
  readonly refusedWrites: RefusedWrites
  readonly rates: Pick<RateBook, 'usability'>
  readonly dataFolder: () => Promise<DataFolderState>
}

/**
 * Evaluates the database, the chain, the watchers and the clock.
 *
 * An unreachable chain is `degraded`, not `not_ready`: receipts work without it, and removing all replicas
 * would be worse. The same applies to a read-only database or a full disk, because reads continue.
 */
export async function evaluateReadiness(needs: ReadinessNeeds): Promise<Readiness> {
  const found = await Promise.race([
    readAll(needs).catch(() => undefined),
    wait(needs.clock, patienceMs).then(() => undefined),
  ])
  if (!found) return { status: 'not_ready', checks: { database: { ok: false } } }
  const checks = { database: { ok: true }, ...found }
  if (!checks.migrations.ok || checks.factory.message) return { status: 'not_ready', checks }
  const isWhole = Object.values(checks).every(({ ok }) => ok)
  return { status: isWhole ? 'ready' : 'degraded', checks }
}

async function readAll(needs: ReadinessNeeds) {
  const { db, chain, clock } = needs
  return { ...(await readChecks(needs)), recovery: await evaluateRecovery(db, chain.id, clock.now()) }
}

async function readChecks(needs: ReadinessNeeds) {
  const { db, clock, chain, newestMigration, factory, refusedWrites, rates, dataFolder } = needs
  const now = clock.now()
  const [applied, writesError, archive, state, standing, items, counts, stuck, folder] = await Promise.all([
    findNewestMigration(db),
    findWritesError(db, refusedWrites),
    readArchiveState(db),
    readChainState(db, chain.id),
    factory(),
    listAllDeferred(db, itemsShown),
    countDeferred(db),
    readStuckTransactions(db, chain.id, now - stuckAlertMs),
    dataFolder(),
  ])
  const { head, newestBlockAt } = state
  const headAgeMs = head && now - head.seenAt
  // A local chain has no regular blocks.
  const isStill =
    !isLocalNetwork(chain.id) &&
    newestBlockAt !== undefined &&
    now - newestBlockAt > (findNetwork(chain.id)?.longestBlockGapMs ?? Number.POSITIVE_INFINITY)
  const readers = evaluateReaders(state)
  // A future block means that this clock is behind. A clock that is ahead is detected only when new blocks
  // arrive.
  const skewMs = newestBlockAt === undefined ? undefined : Math.max(0, newestBlockAt - now)
  const behindMs = Math.max(skewMs ?? 0, chain.time?.behindMs ?? 0)
  const aheadMs = Math.max(0, -(chain.time?.behindMs ?? 0))
  const unpriced = rates.usability.filter(({ isUsable }) => !isUsable).map(({ code }) => code)
  return {
    ...(writesError && { databaseWrites: { ok: false, because: writesError } }),
    ...(archive.error && { databaseArchive: { ok: false, because: archive.error } }),
    migrations: { ok: applied !== undefined && applied >= newestMigration, applied: applied ?? null },
    factory: {
      ok: standing?.kind === 'stands',
      ...(standing && standing.kind !== 'stands' && { message: standing.message }),
    },
    chainHead: {
      ok: headAgeMs !== undefined && headAgeMs <= staleHeadMs && !isStill,
      ageMs: headAgeMs ?? null,
      blockAgeMs: newestBlockAt === undefined ? null : Math.max(0, now - newestBlockAt),
    },
    cursors: {
      ok: readers.length > 0 && readers.every(({ ok }) => ok),
      readers: Object.fromEntries(readers.map(({ name, ...lag }) => [name, lag])),
    },
    deferred: {
      ok: counts.length === 0,
      count: counts.reduce((sum, { count }) => sum + count, 0),
      jobs: counts.map(({ since, ...each }) => ({ ...each, since: new Date(since).toISOString() })),
      items: items.map(viewItem),
    },
    outgoingTransactions: {
      ok: stuck.count === 0,
      stuck: stuck.count,
      oldestSeconds: stuck.since === undefined ? null : Math.round((now - stuck.since) / 1000),
    },
    dataDirectory: {
      ok: folder.error === undefined,
      freeMegabytes: Math.floor(folder.freeBytes / 1024 / 1024),
      ...(folder.error && { because: folder.error }),
    },
    rates: { ok: unpriced.length === 0, missing: unpriced },
    clock: {
      ok: behindMs <= maxSkewMs && aheadMs <= maxSkewMs,
      behindChainMs: skewMs === undefined && chain.time?.behindMs === undefined ? null : behindMs,
      aheadOfChainMs: aheadMs,
    },
  }
}

function viewItem({ since, nextTry, ...item }: DeferredItem) {
  return { ...item, since: new Date(since).toISOString(), nextTry: new Date(nextTry).toISOString() }
}

/** Removes the deferred items, which only the operator may see. */
export function hideItems({ status, checks }: Readiness): Readiness {
  const { deferred } = checks
  if (!deferred) return { status, checks }
  const { items, ...shown } = deferred
  return { status, checks: { ...checks, deferred: shown } }
}

const foundShownMs = 86_400_000

async function evaluateRecovery(db: Database, chain: number, now: number) {
  const [isConfirmed, foundAt] = await Promise.all([isSeedConfirmed(db), findLastFound(db, chain)])
  const isOlder = foundAt !== undefined && now - foundAt <= foundShownMs
  return {
    // A local service holds no real funds.
    ok: (isConfirmed || isLocalNetwork(chain)) && !isOlder,
    isSeedConfirmed: isConfirmed,
    ...(foundAt !== undefined && { databaseIsOlder: new Date(foundAt).toISOString() }),
  }
}

export type ReaderLag = {
  readonly name: string
  readonly ok: boolean
  readonly lagBlocks: number
  /** In chain time. */
  readonly lagSeconds: number
  /** Threshold in blocks or seconds, or `undefined` for an unknown reader. */
  readonly lateAfter: { readonly blocks: number } | { readonly seconds: number } | undefined
}

const hour = 3_600

/** Thresholds per reader. A periodic reader may lag by its period and the duration of a scan. */
const readers: Readonly<
  Record<string, { readonly reads: 'latest' | 'final' } & ({ blocks: number } | { seconds: number })>
> = {
  [cursorNames.transfers]: { reads: 'latest', blocks: 300 },
  [cursorNames.distributions]: { reads: 'final', blocks: 300 },
  // Runs after the two readers above and reads all blocks again.
  [cursorNames.comparison]: { reads: 'final', blocks: 1_000 },
  [cursorNames.closed]: { reads: 'final', seconds: 2 * hour },
  [cursorNames.old]: { reads: 'final', seconds: 26 * hour },
}

/** Returns the lag of each reader. Unknown readers are shown, but never late. */
export function evaluateReaders({ head, finalBlockAt, newestBlockAt, cursors }: ChainState): ReaderLag[] {
  if (!head) return []
  return cursors.map((cursor: CursorState) => {
    const reader = readers[cursor.name]
    const isLatest = reader?.reads === 'latest'
    const lagBlocks = Number(above(isLatest ? head.latest : head.final, cursor.number))
    const readableAt = isLatest ? newestBlockAt : finalBlockAt
    const lagSeconds =
      readableAt === undefined ? 0 : Math.round(Math.max(0, readableAt - cursor.blockAt) / 1000)
    const { name } = cursor
    if (!reader) return { name, ok: true, lagBlocks, lagSeconds, lateAfter: undefined }
    return 'blocks' in reader
      ? { name, ok: lagBlocks <= reader.blocks, lagBlocks, lagSeconds, lateAfter: { blocks: reader.blocks } }
      : {
          name,
          // No unread block means no lag, whatever the time of the last scan.
          ok: lagBlocks === 0 || lagSeconds <= reader.seconds,
          lagBlocks,
          lagSeconds,
          lateAfter: { seconds: reader.seconds },
        }
  })
}

function above(height: bigint, cursor: bigint): bigint {
  return height > cursor ? height - cursor : 0n
}
