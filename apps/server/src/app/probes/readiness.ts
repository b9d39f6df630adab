import { findNetwork, isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import type { ChainTime } from '../../chain/chain-time.ts'
import type { FactoryWatch } from '../../chain/judge-factory.ts'
import { stuckAlertMs } from '../../chain/transactions/settle.ts'
import { type Clock, wait } from '../../kernel/clock.ts'
import { isSeedConfirmed } from '../../payments/attempts/recovery-seed.ts'
import { findLastFound } from '../../payments/recovery/lost-time-store.ts'
import type { Database } from '../../platform/database/database.ts'
import type { RefusedWrites } from '../../platform/database/degraded.ts'
import { cursorNames } from '../../platform/jobs/names.ts'
import { countSetAside, listAllSetAside, type SetAsideItem } from '../../platform/jobs/set-aside-store.ts'
import type { DataFolderState } from '../../platform/process/data-folder.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'
import {
  type ChainState,
  type CursorState,
  findNewestMigration,
  findWritesFault,
  readArchiveState,
  readChainState,
  readStuckTransactions,
} from './state-store.ts'

const patienceMs = 2_000
const staleHeadMs = 60_000
const itemsShown = 20
const maxSkewMs = 30_000

/** One thing that was looked at. */
type Check = { readonly ok: boolean } & Readonly<Record<string, unknown>>

/**
 * Whether the service can do its work: `not_ready` without its database or a split factory; `degraded` where the
 * chain is not followed, or where something of it waits for a person.
 */
type Readiness = {
  readonly status: 'ready' | 'degraded' | 'not_ready'
  readonly checks: Readonly<Record<string, Check>>
}

/** What readiness is judged by. */
export type ReadinessNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly chain: { readonly id: number; readonly time?: Pick<ChainTime, 'behindMs'> }
  /** The newest migration of this release. */
  readonly newestMigration: string
  readonly factory: FactoryWatch
  /** Whether the database takes writes. */
  readonly refusedWrites: RefusedWrites
  readonly rates: Pick<RateBook, 'usability'>
  readonly dataFolder: () => Promise<DataFolderState>
}

/**
 * Looks at the database, its schema, the chain's head, the split factory, the watchers and this machine's clock.
 *
 * A chain that cannot be reached makes it degraded, not unready: receipts are made and read without it, and
 * all replicas taken out of service at once would be worse. So does a database that only reads or whose disk is full: reads
 * go on, what degraded mode accepts is accepted, and a connection to a standby ends by the first write that fails on it.
 */
export async function judgeReadiness(needs: ReadinessNeeds): Promise<Readiness> {
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
  return { ...(await readChecks(needs)), recovery: await judgeRecovery(db, chain.id, clock.now()) }
}

async function readChecks(needs: ReadinessNeeds) {
  const { db, clock, chain, newestMigration, factory, refusedWrites, rates, dataFolder } = needs
  const now = clock.now()
  const [applied, writesFault, archive, state, standing, items, counts, stuck, folder] = await Promise.all([
    findNewestMigration(db),
    findWritesFault(db, refusedWrites),
    readArchiveState(db),
    readChainState(db, chain.id),
    factory(),
    listAllSetAside(db, itemsShown),
    countSetAside(db),
    readStuckTransactions(db, chain.id, now - stuckAlertMs),
    dataFolder(),
  ])
  const { head, newestBlockAt } = state
  const headAgeMs = head && now - head.seenAt
  // A local chain rests between its transactions.
  const isStill =
    !isLocalNetwork(chain.id) &&
    newestBlockAt !== undefined &&
    now - newestBlockAt > (findNetwork(chain.id)?.longestBlockGapMs ?? Number.POSITIVE_INFINITY)
  const readers = judgeReaders(state)
  // A block from the future means that our clock is behind. One ahead shows only when blocks come.
  const skewMs = newestBlockAt === undefined ? undefined : Math.max(0, newestBlockAt - now)
  const behindMs = Math.max(skewMs ?? 0, chain.time?.behindMs ?? 0)
  const aheadMs = Math.max(0, -(chain.time?.behindMs ?? 0))
  const unpriced = rates.usability.filter(({ isUsable }) => !isUsable).map(({ code }) => code)
  return {
    ...(writesFault && { databaseWrites: { ok: false, because: writesFault } }),
    ...(archive.fault && { databaseArchive: { ok: false, because: archive.fault } }),
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
    setAside: {
      ok: counts.length === 0,
      count: counts.reduce((sum, { count }) => sum + count, 0),
      jobs: counts.map(({ since, ...each }) => ({ ...each, since: new Date(since).toISOString() })),
      items: items.map(viewItem),
    },
    ownTransactions: {
      ok: stuck.count === 0,
      stuck: stuck.count,
      oldestSeconds: stuck.since === undefined ? null : Math.round((now - stuck.since) / 1000),
    },
    dataDirectory: {
      ok: folder.fault === undefined,
      freeMegabytes: Math.floor(folder.freeBytes / 1024 / 1024),
      ...(folder.fault && { because: folder.fault }),
    },
    rates: { ok: unpriced.length === 0, missing: unpriced },
    clock: {
      ok: behindMs <= maxSkewMs && aheadMs <= maxSkewMs,
      behindChainMs: skewMs === undefined && chain.time?.behindMs === undefined ? null : behindMs,
      aheadOfChainMs: aheadMs,
    },
  }
}

function viewItem({ since, nextTry, ...item }: SetAsideItem) {
  return { ...item, since: new Date(since).toISOString(), nextTry: new Date(nextTry).toISOString() }
}

/** The same without what only the operator may read: whose items wait, and what exactly keeps them. */
export function hideItems({ status, checks }: Readiness): Readiness {
  const { setAside } = checks
  if (!setAside) return { status, checks }
  const { items, ...shown } = setAside
  return { status, checks: { ...checks, setAside: shown } }
}

/** Duration of the warning that the database is older than the chain. */
const foundShownMs = 86_400_000

/** Checks that the operator has confirmed the recovery seed, and that no lost payment was found in the last day. */
async function judgeRecovery(db: Database, chain: number, now: number) {
  const [isConfirmed, foundAt] = await Promise.all([isSeedConfirmed(db), findLastFound(db, chain)])
  const isOlder = foundAt !== undefined && now - foundAt <= foundShownMs
  return {
    // A local service holds nobody's money.
    ok: (isConfirmed || isLocalNetwork(chain)) && !isOlder,
    isSeedConfirmed: isConfirmed,
    ...(foundAt !== undefined && { databaseIsOlder: new Date(foundAt).toISOString() }),
  }
}

/** How far a reader of the chain is behind what it could have read, and whether that is more than its period explains. */
export type ReaderLag = {
  readonly name: string
  readonly ok: boolean
  readonly lagBlocks: number
  /** Of the chain's time. */
  readonly lagSeconds: number
  /** From then on it is late; in blocks or in seconds, as it is judged. */
  readonly lateAfter: { readonly blocks: number } | { readonly seconds: number } | undefined
}

const hour = 3_600

/**
 * What each reader is measured by. Those that follow the chain may be some blocks behind the newest block they
 * read; those that look now and then may be their period behind, and the time that a look takes.
 */
const readers: Readonly<
  Record<string, { readonly reads: 'latest' | 'final' } & ({ blocks: number } | { seconds: number })>
> = {
  [cursorNames.transfers]: { reads: 'latest', blocks: 300 },
  [cursorNames.distributions]: { reads: 'final', blocks: 300 },
  // It follows the two above, and reads everything once more.
  [cursorNames.comparison]: { reads: 'final', blocks: 1_000 },
  [cursorNames.closed]: { reads: 'final', seconds: 2 * hour },
  [cursorNames.old]: { reads: 'final', seconds: 26 * hour },
}

/** The lag of each reader by its own period. Pure. One that is not known here is shown and not judged. */
export function judgeReaders({ head, finalBlockAt, newestBlockAt, cursors }: ChainState): ReaderLag[] {
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
          // No block to read is no lag, however long the last look is ago.
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
