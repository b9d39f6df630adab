import { handleUnknownPaths } from '../../src/app/http/send-errors.ts'
import { openService, type Service } from '../../src/app/open-service.ts'
import type { CompleteConfig, Runtime } from '../../src/app/runtime.ts'
import type { Chain } from '../../src/chain/chain.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Random } from '../../src/kernel/random.ts'
import type { OnrampProvider } from '../../src/onramp/provider.ts'
import { listProviders } from '../../src/onramp/registry.ts'
import { Changes } from '../../src/platform/cache/changes.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { RefusedWrites } from '../../src/platform/database/degraded.ts'
import type { Job } from '../../src/platform/jobs/ticker.ts'
import { usualTimings } from '../../src/platform/jobs/timings.ts'
import type { Log } from '../../src/platform/log.ts'
import type { Outbound } from '../../src/platform/outbound/outbound.ts'
import { noTracer } from '../../src/platform/tracing/tracer.ts'
import { fixedRates } from '../../src/pricing/rates/live-rates.ts'
import { RateBook } from '../../src/pricing/rates/rate-book.ts'
import { type CallOptions, messageOf } from '../support/api/call-api.ts'
import { offline } from '../support/api/offline.ts'
import type { JobName } from '../support/api/start-api.ts'
import type { Owner } from './scheduler.ts'

export type ReplicaNeeds = {
  readonly config: CompleteConfig
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly db: Database
  readonly chain: (log: Log, clock: Clock) => Chain
  readonly webhooks: Outbound
  readonly onramp: readonly OnrampProvider[]
}

/** One process of the service. Its memory ends with it; the database and the chain do not. */
export class Replica implements Owner {
  readonly name: string
  isDead = false
  isFrozen = false
  readonly service: Service
  /** Notifications from the database. */
  readonly changes: Changes
  readonly #jobs: ReadonlyMap<string, Job>

  private constructor(name: string, service: Service, changes: Changes) {
    this.name = name
    this.changes = changes
    this.service = service
    this.#jobs = new Map(service.jobs.map((job) => [job.name, job]))
  }

  static async open(name: string, needs: ReplicaNeeds): Promise<Replica> {
    const { config, clock, random, log, db } = needs
    const context: Runtime = {
      ...{ clock, random, log, db },
      changes: new Changes(),
      refusedWrites: new RefusedWrites(clock),
      chain: needs.chain(log, clock),
      services: offline,
      webhooks: needs.webhooks,
      webhookTests: offline,
      images: offline,
      rates: new RateBook({ clock, log, sources: [fixedRates({ clock })] }),
      onramp: listProviders(needs.onramp, undefined),
      tracer: noTracer,
      timings: usualTimings,
      holder: `${name}-${Buffer.from(random.bytes(6)).toString('hex')}`,
      close: async () => {},
    }
    const service = await openService(context, config)
    handleUnknownPaths(service.app)
    await service.app.ready()
    await context.rates.refresh()
    return new Replica(name, service, context.changes)
  }

  /** Returns `undefined` if the deployment has no settings for the job. */
  job(name: JobName): Job | undefined {
    return this.#jobs.get(name)
  }

  async call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, options: CallOptions = {}) {
    const { headers, body: payload } = messageOf(options)
    const response = await this.service.app.inject({ method, url, headers, ...(payload && { payload }) })
    const { statusCode: status, body: text } = response
    const setCookie = [response.headers['set-cookie'] ?? []].flat().join()
    return {
      ...{ status, text, headers: new Headers({ 'set-cookie': setCookie }) },
      cookie: setCookie.split(';')[0] ?? '',
      body: text && JSON.parse(text),
    }
  }

  async close(): Promise<void> {
    await this.service.app.close()
    await this.service.journal.close()
  }
}
