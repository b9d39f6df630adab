import { isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import type { Chain } from '../chain/chain.ts'
import type { Deployment } from '../chain/networks.ts'
import { connectChain } from '../chain/rpc/connect-chain.ts'
import { imageTargets } from '../images/fetch-image.ts'
import { type Clock, systemClock } from '../kernel/clock.ts'
import { type Random, randomUuid, systemRandom } from '../kernel/random.ts'
import { openProviders, type Providers } from '../onramp/registry.ts'
import type { Changes } from '../platform/cache/changes.ts'
import { type Database, Pool } from '../platform/database/database.ts'
import type { RefusedWrites } from '../platform/database/degraded.ts'
import { type Timings, usualTimings } from '../platform/jobs/timings.ts'
import type { Log } from '../platform/log.ts'
import { HttpOutbound } from '../platform/outbound/http-outbound.ts'
import type { Outbound } from '../platform/outbound/outbound.ts'
import type { Config } from '../platform/settings/config.ts'
import { traceDatabase, traceOutbound } from '../platform/tracing/traced.ts'
import { noTracer, type Tracer } from '../platform/tracing/tracer.ts'
import { fixedRates, liveRates } from '../pricing/rates/live-rates.ts'
import { RateBook } from '../pricing/rates/rate-book.ts'
import { webhookTargets } from '../webhooks/check-target.ts'
import { networkOf } from './network.ts'

export type CompleteConfig = Config & { readonly masterKey: string; readonly databaseUrl: string }

/**
 * All external dependencies: clock, randomness, database, chain, HTTP and rates. Tests and simulations
 * replace them.
 */
export type Runtime = {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly db: Database
  readonly changes: Changes
  readonly refusedWrites: RefusedWrites
  readonly chain: Chain
  readonly services: Outbound
  readonly webhooks: Outbound
  /** Separate from deliveries, so that a test never occupies their connections. */
  readonly webhookTests: Outbound
  /** Public addresses only, in every deployment. */
  readonly images: Outbound
  readonly rates: RateBook
  readonly onramp: Providers
  readonly tracer: Tracer
  readonly timings: Timings
  /** Unique among all processes that ever used the database. */
  readonly holder: string
  close(): Promise<void>
}

export function openRuntime(
  config: CompleteConfig,
  log: Log,
  contracts: Deployment | undefined,
  tracer: Tracer = noTracer,
  timings: Timings = usualTimings,
): Runtime {
  const clock = systemClock
  const random = systemRandom
  const db = new Pool({ url: config.databaseUrl, log, clock, random })
  const services = new HttpOutbound({ clock }, { targets: 'any', allowHttp: true })
  const webhooks = new HttpOutbound({ clock }, webhookTargets(config))
  const webhookTests = new HttpOutbound({ clock }, webhookTargets(config))
  const images = new HttpOutbound({ clock }, imageTargets)
  const network = networkOf(config.chainId, contracts)
  const chain = connectChain(
    { outbound: traceOutbound(tracer, services, 'part'), clock, log },
    network,
    config.rpcUrls,
  )
  const sources = isLocalNetwork(network.id)
    ? [fixedRates({ clock })]
    : liveRates({ outbound: services, clock, chain })
  return {
    clock,
    random,
    log,
    db: traceDatabase(tracer, db),
    changes: db.changes,
    refusedWrites: db.refusedWrites,
    chain,
    services: traceOutbound(tracer, services, 'whole'),
    webhooks: traceOutbound(tracer, webhooks, 'whole'),
    webhookTests: traceOutbound(tracer, webhookTests, 'whole'),
    images: traceOutbound(tracer, images, 'whole'),
    rates: new RateBook({ clock, log, sources }),
    onramp: openProviders({ clock, random, log, outbound: traceOutbound(tracer, services, 'whole') }, config),
    tracer,
    timings,
    holder: `${process.pid}-${randomUuid(random)}`,
    async close() {
      await Promise.allSettled(
        [services, webhooks, webhookTests, images, db, tracer].map((each) => each.close()),
      )
    },
  }
}
