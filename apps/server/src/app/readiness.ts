import type { ChainTime } from '../chain/chain-time.ts'
import type { FactoryWatch } from '../chain/watch-factory.ts'
import type { Clock } from '../kernel/clock.ts'
import { wait } from '../kernel/clock.ts'
import type { Database } from '../platform/database.ts'
import { findNewestMigration, readChainState } from './state-store.ts'

const patienceMs = 2_000
const staleHeadMs = 60_000
const maxLagBlocks = 300n
const maxSkewMs = 30_000

/** One thing that was looked at. */
export type Check = { readonly ok: boolean } & Readonly<Record<string, unknown>>

/** Whether the service can do its work: `not_ready` without its database or a split factory; `degraded` where the chain is not followed. */
export type Readiness = {
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
}

/**
 * Looks at the database, its schema, the chain's head, the split factory, the watchers and this machine's clock.
 *
 * A chain that cannot be reached makes it degraded, not unready: receipts are made and read without it, and
 * all replicas taken out of service at once would be worse.
 */
export async function judgeReadiness(needs: ReadinessNeeds): Promise<Readiness> {
  const found = await Promise.race([
    readChecks(needs).catch(() => undefined),
    wait(needs.clock, patienceMs).then(() => undefined),
  ])
  if (!found) return { status: 'not_ready', checks: { database: { ok: false } } }
  const checks = { database: { ok: true }, ...found }
  if (!checks.migrations.ok || checks.factory.message) return { status: 'not_ready', checks }
  const isWhole = Object.values(checks).every(({ ok }) => ok)
  return { status: isWhole ? 'ready' : 'degraded', checks }
}

async function readChecks({ db, clock, chain, newestMigration, factory }: ReadinessNeeds) {
  const [applied, state, standing] = await Promise.all([
    findNewestMigration(db),
    readChainState(db, chain.id),
    factory(),
  ])
  const now = clock.now()
  const { head, newestBlockAt, cursors } = state
  const headAgeMs = head && now - head.seenAt
  const lags = head
    ? cursors.map(({ name, number }) => [name, head.latest > number ? head.latest - number : 0n] as const)
    : []
  // A block from the future means that our clock is behind. One ahead shows only when blocks come.
  const skewMs = newestBlockAt === undefined ? undefined : Math.max(0, newestBlockAt - now)
  const behindMs = Math.max(skewMs ?? 0, chain.time?.behindMs ?? 0)
  const aheadMs = Math.max(0, -(chain.time?.behindMs ?? 0))
  return {
    migrations: { ok: applied !== undefined && applied >= newestMigration, applied: applied ?? null },
    factory: {
      ok: standing?.kind === 'stands',
      ...(standing && standing.kind !== 'stands' && { message: standing.message }),
    },
    chainHead: { ok: headAgeMs !== undefined && headAgeMs <= staleHeadMs, ageMs: headAgeMs ?? null },
    cursors: {
      ok: lags.length > 0 && lags.every(([, lag]) => lag <= maxLagBlocks),
      lagBlocks: Object.fromEntries(lags.map(([name, lag]) => [name, Number(lag)])),
    },
    clock: {
      ok: behindMs <= maxSkewMs && aheadMs <= maxSkewMs,
      behindChainMs: skewMs === undefined && chain.time?.behindMs === undefined ? null : behindMs,
      aheadOfChainMs: aheadMs,
    },
  }
}
