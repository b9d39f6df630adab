import type { Scope } from '@sluice/protocol/api/access.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { FastifyInstance } from 'fastify'
import type { Hex } from 'viem'
import { modeOfChain } from '../../../src/access/keys/api-key.ts'
import { createSubscription } from '../../../src/access/keys/create-subscription.ts'
import type { Route } from '../../../src/access/route.ts'
import { maxConnections } from '../../../src/app/http/http.ts'
import { handleUnknownPaths } from '../../../src/app/http/send-errors.ts'
import { serveRoute } from '../../../src/app/http/serve-route.ts'
import { makeJobs } from '../../../src/app/jobs.ts'
import { openService } from '../../../src/app/open-service.ts'
import { addHealth } from '../../../src/app/probes/health.ts'
import type { RouteParts } from '../../../src/app/routes.ts'
import type { CompleteConfig, Runtime } from '../../../src/app/runtime.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { type Random, systemRandom } from '../../../src/kernel/random.ts'
import { ensureMerchant } from '../../../src/merchants/merchant-store.ts'
import type { OnrampProvider } from '../../../src/onramp/provider.ts'
import { listProviders } from '../../../src/onramp/registry.ts'
import { findRecoverySeed } from '../../../src/payments/attempts/recovery-seed.ts'
import type { FinalityPolicy } from '../../../src/payments/cursors/finality.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import type { jobNames } from '../../../src/platform/jobs/names.ts'
import { type Job, Ticker } from '../../../src/platform/jobs/ticker.ts'
import { usualTimings } from '../../../src/platform/jobs/timings.ts'
import { type Log, makeLog } from '../../../src/platform/log.ts'
import { HttpOutbound } from '../../../src/platform/outbound/http-outbound.ts'
import type { Outbound } from '../../../src/platform/outbound/outbound.ts'
import { readConfig } from '../../../src/platform/settings/config.ts'
import { traceDatabase } from '../../../src/platform/tracing/traced.ts'
import { noTracer, type Tracer } from '../../../src/platform/tracing/tracer.ts'
import { fixedRates } from '../../../src/pricing/rates/live-rates.ts'
import type { RateSource } from '../../../src/pricing/rates/rate.ts'
import { RateBook } from '../../../src/pricing/rates/rate-book.ts'
import { changeStatus, type Trigger } from '../../../src/receipts/change-status.ts'
import type { TriggerKind } from '../../../src/receipts/status.ts'
import { changeShop } from '../../../src/shop/change-shop.ts'
import { makeTestDatabase, type TestDatabase } from '../database/test-database.ts'
import { makeTemporaryFolder } from '../programs/temporary-folder.ts'
import { holdToDocument } from '../routes/hold-to-document.ts'
import { keepLog, registerSecrets } from '../secrets/secret-register.ts'
import { TestClock } from '../test-clock.ts'
import { type Call, callApi, testBaseUrl } from './call-api.ts'
import { awayChain, offline } from './offline.ts'
import { newWallet } from './sessions.ts'

export type TestMerchant = {
  readonly wallet: Wallet
  readonly privateKey: Hex
  readonly subscriptionId: string
  readonly key: string
  readonly secondaryKey: string
}

type NewMerchant = {
  readonly name?: string
  readonly scopes?: readonly Scope[] | undefined
  /** Wallet of a merchant of another service. Default: a new wallet. */
  readonly account?: Pick<TestMerchant, 'wallet' | 'privateKey'>
}

export type ChainNeeds = { readonly outbound: Outbound; readonly clock: Clock; readonly log: Log }

type ApiSeams = {
  readonly rates?: readonly RateSource[]
  readonly tracer?: Tracer
  readonly random?: Random
  readonly between?: (db: Database) => Database
  /** A real-time clock, instead of the test's clock. */
  readonly realTime?: Clock
  /** Creates the chain. By default, the chain is unreachable. */
  readonly chain?: (needs: ChainNeeds) => Chain
  /** Sends webhooks. By default, merchants' servers are unreachable. */
  readonly webhooks?: 'sent'
  readonly policy?: FinalityPolicy
  readonly onramp?: readonly OnrampProvider[]
}

export type ApiOptions = Partial<CompleteConfig> &
  ApiSeams & {
    /** Another process, whose database and clock the new process shares. */
    readonly beside?: { readonly database: TestDatabase; readonly clock: TestClock } | undefined
    readonly now?: number
    /** Jobs that run automatically. The test runs the others. */
    readonly running?: readonly JobName[]
    readonly more?: (parts: RouteParts) => Route[]
    readonly extend?: (
      app: FastifyInstance,
      routes: readonly Route[],
      made: { readonly parts: RouteParts; readonly config: CompleteConfig },
    ) => unknown
  }

export type JobName = (typeof jobNames)[keyof typeof jobNames]

export type JobChanges = Partial<Runtime & { policy: FinalityPolicy }>

export const testJwtSecret = 'a secret for the sessions of the tests'

export const testMasterKey = 'a master key of the tests, long enough'

const usual = {
  ...readConfig({ BASE_URL: testBaseUrl, RATE_LIMIT_SCALE: '0' }),
  masterKey: testMasterKey,
  jwtSecret: testJwtSecret,
}

/** The service on a real HTTP server with a real PostgreSQL. The test moves the clock and runs the jobs. */
export type TestApi = Awaited<ReturnType<typeof startApi>>

export async function startApi(options: ApiOptions = {}) {
  const { beside, now, running = [], more, extend, policy, ...rest } = options
  const { rates, tracer = noTracer, random = systemRandom, between, realTime, ...others } = rest
  const { chain, webhooks, onramp = [], ...settings } = others
  const [database, folder] = await Promise.all([
    beside?.database ?? makeTestDatabase({ random }),
    settings.dataDir === undefined ? makeTemporaryFolder('api') : undefined,
  ])
  const config = { ...usual, databaseUrl: database.url, dataDir: folder?.path ?? '', ...settings }
  registerSecrets(
    config.masterKey,
    config.jwtSecret,
    config.oldJwtSecret,
    config.edgeSecret,
    config.gatewaySecret,
  )
  const testClock = beside?.clock ?? new TestClock(now)
  const clock = realTime ?? testClock
  const { log, logged } = keepWarnings('api')
  const outbound = new HttpOutbound({ clock }, { targets: 'any', allowHttp: true })
  const testOutbound = new HttpOutbound({ clock }, { targets: 'any', allowHttp: true })
  const context: Runtime = {
    clock,
    random,
    log,
    db: traceDatabase(tracer, between?.(database.pool) ?? database.pool),
    changes: database.pool.changes,
    refusedWrites: database.pool.refusedWrites,
    chain: chain?.({ outbound, clock, log }) ?? awayChain({ clock, log }),
    services: outbound,
    webhooks: webhooks === 'sent' ? outbound : offline,
    webhookTests: webhooks === 'sent' ? testOutbound : offline,
    images: offline,
    rates: new RateBook({ clock, log, sources: rates ?? [fixedRates({ clock })] }),
    onramp: listProviders(onramp, settings.onrampProvider),
    tracer,
    timings: { ...usualTimings, facilitatorRetryMs: 5_000 },
    holder: `test-${Buffer.from(random.bytes(6)).toString('hex')}`,
    close: async () => {},
  }
  const service = await openService(context, config, { policy })
  const { app, parts, jobParts, journal, routes } = service
  const seed = await findRecoverySeed(parts)
  registerSecrets(seed && `0x${Buffer.from(seed.bytes).toString('hex')}`)
  for (const route of more?.(parts) ?? []) serveRoute(app, parts, route)
  addHealth(app)
  await extend?.(app, routes, { parts, config })
  handleUnknownPaths(app)
  const job = (name: JobName, changes?: JobChanges): Job => {
    const jobs = changes
      ? makeJobs({ ...context, ...changes }, config, {
          ...jobParts,
          policy: changes.policy ?? jobParts.policy,
        })
      : service.jobs
    const found = jobs.find((each) => each.name === name)
    if (!found) throw new Error(`there is no job ${name}`)
    return found
  }
  const call: Call = async (...request) => holdToDocument(routes, request, await callApi(url, ...request))
  const ticker = new Ticker(
    context,
    running.map((name) => job(name)),
  )
  const url = await app.listen({ port: 0, host: '127.0.0.1', backlog: maxConnections })
  ticker.start()
  return {
    url,
    app,
    routes,
    database,
    clock: testClock,
    journal,
    needs: parts,
    /** Log lines at level warn and above. */
    logged,
    /** Adds a merchant with an API key. `name` is the name of the shop. */
    async addMerchant({ name, scopes, account }: NewMerchant = {}): Promise<TestMerchant> {
      const { wallet, privateKey } = account ?? newWallet(random)
      await ensureMerchant(parts, wallet, name ?? 'Test Merchant')
      if (name !== undefined) await changeShop(parts, wallet, { name })
      const subscription = { name: 'test', mode: modeOfChain(context.chain.id), scopes }
      const { id, primaryKey, secondaryKey } = await createSubscription(parts, wallet, subscription)
      registerSecrets(primaryKey, secondaryKey)
      return { wallet, privateKey, subscriptionId: id, key: primaryKey, secondaryKey }
    },
    call,
    /** Applies a trigger to a receipt, as the watcher or a provider's event does. */
    move: (merchant: Wallet, id: string, kind: TriggerKind, moved?: Partial<Trigger>) =>
      database.pool.transaction((tx) =>
        changeStatus({ ...parts, tx }, merchant, id as ReceiptId, { kind, detail: {}, ...moved }),
      ),
    job,
    /** Runs jobs in sequence, each until it has no more work. */
    async run(...names: readonly JobName[]) {
      for (const name of names) await runToRest(job(name))
    },
    nudge: (name: JobName) => ticker.nudge(name),
    async stop() {
      const closing = app.close()
      // A connection that a client keeps open would delay the stop by a minute.
      app.server.closeAllConnections()
      await closing
      await ticker.stop()
      await Promise.all([journal.close(), outbound.close(), testOutbound.close()])
      if (!beside) await database.drop()
      await folder?.remove()
    },
  }
}

/** Creates a log whose warnings a test can read. The complete log is kept for the search for secrets. */
export function keepWarnings(name: string): { log: Log; logged: Record<string, unknown>[] } {
  const logged: Record<string, unknown>[] = []
  const log = makeLog('debug', {
    write(line) {
      keepLog(name, line)
      const entry = JSON.parse(line)
      if (entry.level >= 40) logged.push(entry)
    },
  })
  return { log, logged }
}

const mostRounds = 500

export async function runToRest(job: Job): Promise<void> {
  for (let round = 0; round < mostRounds; round++)
    if ((await job.run(new AbortController().signal)) !== 'again') return
  throw new Error(`${job.name} does not come to rest`)
}
