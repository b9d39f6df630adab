import { hkdfSync } from 'node:crypto'
import { join } from 'node:path'
import type { Cents } from '@sluice/protocol/money.ts'
import type { FastifyInstance } from 'fastify'
import { RequestLog } from '../access/audit/request-log.ts'
import { makeRecentCallers } from '../access/guard/recent-callers.ts'
import { LastUsed } from '../access/keys/last-used.ts'
import { RateLimits } from '../access/limits/rate-limits.ts'
import { RefusedAttempts } from '../access/limits/refused-attempts.ts'
import type { Route } from '../access/route.ts'
import { makeGate } from '../access/sessions/gate.ts'
import { SessionTokens } from '../access/sessions/session-tokens.ts'
import { GasAccounts } from '../chain/transactions/gas-accounts.ts'
import { openSender } from '../chain/transactions/transaction.ts'
import { PublicReads } from '../inventory/list-products.ts'
import { openReferences } from '../payments/attempts/recovery-seed.ts'
import { type FinalityPolicy, makeFinalityPolicy } from '../payments/cursors/finality.ts'
import { noteStart } from '../payments/recovery/lost-time-store.ts'
import { Relayer, type RelayerNeeds } from '../payments/relaying/relayer.ts'
import { Facilitator } from '../payments/x402/facilitator.ts'
import { Cache } from '../platform/cache/cache.ts'
import { JoiningDatabase } from '../platform/database/joining/joining-database.ts'
import type { Job } from '../platform/jobs/ticker.ts'
import { WriteJournal } from '../platform/journal/write-journal.ts'
import type { Metrics } from '../platform/metrics.ts'
import { readDataFolder } from '../platform/process/data-folder.ts'
import { ResponseCache } from '../platform/response-cache.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { Config } from '../platform/settings/config.ts'
import { ReceiptHomes } from '../receipts/making/create-receipt.ts'
import { BrandOrigins, BrandUrls } from '../site/brand-origins.ts'
import { withSandbox } from './card-sandbox.ts'
import { makeHttp } from './http/http.ts'
import { journalWrites, subjectOf } from './http/journal-writes.ts'
import { respondFromCache } from './http/respond-from-cache.ts'
import type { ServeNeeds } from './http/serve-route.ts'
import { type JobParts, makeJobs } from './jobs.ts'
import { openMetrics } from './probes/metrics.ts'
import { makeRoutes, type RouteParts } from './routes.ts'
import type { CompleteConfig, Runtime } from './runtime.ts'
import { secretsOf } from './secrets/require-master-key.ts'

/** An assembled service that is not listening and runs no jobs. */
export type Service = {
  readonly parts: RouteParts
  readonly jobParts: JobParts
  readonly routes: readonly Route[]
  readonly jobs: readonly Job[]
  readonly app: FastifyInstance
  readonly journal: WriteJournal
  readonly metrics: Metrics
}

/**
 * Assembles routes and jobs. The caller closes the app and the journal.
 *
 * The runtime stays open.
 *
 * @param options - `policy`: finality policy, if it differs from the deployment's; `demoWallet`: path of the
 * demo merchant's local wallet.
 */
export async function openService(
  given: Runtime,
  config: CompleteConfig,
  options: { policy?: FinalityPolicy | undefined; demoWallet?: string | undefined } = {},
): Promise<Service> {
  const { isProduction } = config
  const context = { ...given, onramp: withSandbox(given, config) }
  const policy = options.policy ?? makeFinalityPolicy({ isProduction, endpointCount: config.rpcUrls.length })
  const brandOrigins = new BrandOrigins()
  const access = openAccess(context, config, secretsOf(config, context.random), brandOrigins)
  const references = await openRecovery({ ...context, secrets: access.secrets })
  const facilitator = openFacilitator(context, config)
  const relayer = facilitator ? undefined : openRelayer(context, config)
  const homes = new ReceiptHomes(access)
  const urls = new BrandUrls(access, config.baseUrl)
  const publicReads = new PublicReads()
  const parts = {
    ...context,
    ...access,
    references,
    policy,
    relayer: facilitator ?? relayer,
    homes,
    urls,
    publicReads,
  }
  const journal = await WriteJournal.open(context, join(config.dataDir, 'journal'), subjectOf)
  const gasAccounts = openGasAccounts(context, config)
  const metrics = openMetrics({
    ...context,
    ...{ journal, relayer, gasAccounts },
    dataFolder: () => readDataFolder(config.dataDir),
  })
  const routes = makeRoutes(parts, config, options)
  const journaled = journalWrites({ ...parts, journal }, routes)
  const memory = {
    responses: new ResponseCache(),
    brandHost: (host: string | undefined) => brandOrigins.domainOf(host),
  }
  const app = makeHttp(parts, respondFromCache(memory, journaled.routes))
  const jobParts = {
    access,
    policy,
    references,
    metrics,
    brandOrigins,
    relayer,
    facilitator,
    gasAccounts,
    applyJournal: journaled.job,
  }
  return {
    parts,
    jobParts,
    routes,
    jobs: makeJobs(context, config, jobParts),
    app,
    journal,
    metrics,
  }
}

/** Runs before any other use of the database, to detect a possible loss of data. */
async function openRecovery(needs: Parameters<typeof openReferences>[0] & Runtime) {
  await noteStart(needs)
  return openReferences(needs)
}

function openRelayer(needs: RelayerNeeds, config: Config): Relayer | undefined {
  const { relayerKey, relayerMaxFee: maxFee, relayerDailyMax: dailyMax, relayerMinCents } = config
  return (
    relayerKey && new Relayer(needs, relayerKey, { maxFee, dailyMax, minCents: relayerMinCents as Cents })
  )
}

function openFacilitator(
  { chain, clock, services: outbound }: Pick<Runtime, 'chain' | 'clock' | 'services'>,
  { facilitatorUrl: url, facilitatorHeaders: headers }: Config,
): Facilitator | undefined {
  return url === undefined ? undefined : new Facilitator({ chain, clock, outbound }, { url, headers })
}

function openGasAccounts(needs: Pick<Runtime, 'chain' | 'log'>, config: Config): GasAccounts {
  const keys = { deployer: config.deployerKey, keeper: config.keeperKey, relayer: config.relayerKey }
  const accounts = Object.entries(keys).flatMap(([role, key]) =>
    key === undefined ? [] : [{ role, address: openSender(key).address }],
  )
  return new GasAccounts(needs, accounts)
}

/** Opens access control. Its database calls join the transaction of an Idempotency-Key. */
function openAccess(
  context: Runtime,
  config: CompleteConfig,
  secrets: Secrets,
  brandOrigins: BrandOrigins,
): ServeNeeds {
  const db = new JoiningDatabase(context.db)
  return {
    db,
    clock: context.clock,
    secrets,
    gate: makeGate({
      ...config,
      tokens: sessionTokensOf(config),
      isExternal: config.gateway === 'external',
      operators: config.operatorWallets,
      isBrandOrigin: (origin) => brandOrigins.has(origin),
    }),
    limits: new RateLimits(context, config.rateLimitScale),
    refused: new RefusedAttempts({ ...context, secrets }),
    requests: new RequestLog(context),
    recentCallers: makeRecentCallers(context),
    cache: new Cache(context),
    lastUsed: new LastUsed(context),
  }
}

/**
 * Returns the session tokens. Derives their secret from the master key if JWT_SECRET is not set, which only
 * production requires.
 */
function sessionTokensOf({
  jwtSecret,
  oldJwtSecret,
  masterKey,
  oldMasterKey,
}: CompleteConfig): SessionTokens {
  const old = [oldJwtSecret, jwtSecret === undefined && oldMasterKey ? jwtSecretOf(oldMasterKey) : undefined]
  return new SessionTokens(
    jwtSecret ?? jwtSecretOf(masterKey),
    old.filter((secret) => secret !== undefined),
  )
}

function jwtSecretOf(masterKey: string): string {
  return Buffer.from(hkdfSync('sha256', masterKey, 'sluice sessions', 'secret', 32)).toString('base64url')
}
