import { isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import type { FastifyInstance } from 'fastify'
import { requireDecimals, requireFactory } from './app/network.ts'
import { type CompleteConfig, openRuntime, type Runtime } from './app/runtime.ts'
import { requireMasterKey, secretsOf } from './app/secrets/require-master-key.ts'
import { type Demo, type RunningSluice, startSluice } from './app/start.ts'
import { version } from './app/version.ts'
import { unlessAborted } from './kernel/clock.ts'
import { addDemoWallet, demoBuyerPath, demoMerchantPath } from './local/demo-wallet.ts'
import { type LocalContracts, localContracts } from './local/deploy-contracts.ts'
import { localWallet } from './local/local-settings.ts'
import { makeDemoReceipt, seedLocal } from './local/seed-local.ts'
import { startLocal } from './local/start-local.ts'
import { demoCheckoutPath } from './pages/site/register-site.ts'
import { placeNewTables } from './platform/cluster/distribute-database.ts'
import { checkDurability } from './platform/database/opening/check-durability.ts'
import { migrate } from './platform/database/opening/migrate.ts'
import { refusePooler } from './platform/database/opening/refuse-pooler.ts'
import { type Timings, usualTimings } from './platform/jobs/timings.ts'
import type { Log } from './platform/log.ts'
import { readDataFolder } from './platform/process/data-folder.ts'
import { withFreePort } from './platform/process/free-port.ts'
import type { Config } from './platform/settings/config.ts'
import { openTracer } from './platform/tracing/open-tracer.ts'
import type { Tracer } from './platform/tracing/tracer.ts'
import { paymentUrl } from './receipts/payment-url.ts'

/** Creates the service's context. Tests pass one with faults. */
export type OpenContext = (
  config: CompleteConfig,
  log: Log,
  contracts: LocalContracts | undefined,
  tracer: Tracer,
  timings: Timings,
) => Runtime

type Part = { stop(): Promise<void> }

export type RunOptions = {
  /** Called with each started part. The caller stops the parts, newest first, even if the start fails. */
  readonly keep: (part: Part) => void
  readonly stop?: AbortSignal | undefined
  readonly open?: OpenContext
  readonly timings?: Timings
}

/**
 * Starts the whole product: local infrastructure that the settings do not replace, database migrations, the
 * service and the local shop.
 */
export async function runSluice(config: Config, log: Log, options: RunOptions): Promise<RunningSluice> {
  const { keep, stop, open = openRuntime, timings = usualTimings } = options
  stop?.throwIfAborted()
  const needsLocal = config.databaseUrl === undefined || config.rpcUrls.length === 0
  const local = needsLocal ? await startLocal(config, log, { stop, timings }) : undefined
  if (local) keep(local)
  const complete = local?.config ?? asComplete(config)
  await unlessAborted(refusePooler('DATABASE_URL', config.databaseUrl), stop)
  await unlessAborted(migrate({ url: complete.databaseUrl, log }), stop)
  await unlessAborted(placeNewTables({ url: complete.databaseUrl, log }), stop)
  const tracer = await openTracer(complete, version)
  const context = open(complete, log, local?.contracts ?? contractsOfOther(complete), tracer, timings)
  keep({ stop: () => context.close() })
  if (config.isProduction) await unlessAborted(checkDurability(context.db), stop)
  await unlessAborted(checkMasterKey(context, complete), stop)
  await unlessAborted(requireFactory(context), stop)
  await unlessAborted(requireDecimals(context), stop)
  const sluice = await withPort(complete, (it) =>
    startSluice(context, it, { demo: local?.contracts && demoOf(context, it), stop }),
  )
  keep(sluice)
  if (local?.contracts && !isLoopback(config))
    log.warn(
      { host: config.host },
      "anyone with access to this local service can spend the demo buyer's test tokens",
    )
  if (config.isProduction && config.edgeSecret === undefined)
    log.warn(
      'EDGE_SECRET is not set, so no proxy is trusted: behind a proxy, all visitors share its address and rate limits',
    )
  const { secrets, baseUrl } = sluice
  if (local?.contracts)
    await seedLocal({ ...context, secrets }, { ...local, config: { ...local.config, baseUrl } }, stop)
  const { error, freeBytes } = await readDataFolder(complete.dataDir)
  if (error) log.warn({ error, freeBytes }, 'DATA_DIR is almost full: writes may be rejected')
  log.info({ port: sluice.port }, 'ready')
  return sluice
}

/**
 * Checks the database's chain and master key against the settings, before the service handles requests or
 * sends anything.
 */
async function checkMasterKey(context: Runtime, config: CompleteConfig): Promise<void> {
  const secrets = secretsOf(config, context.random)
  const previousKeyId = await requireMasterKey({ ...context, secrets }, config.chainId)
  if (previousKeyId !== undefined)
    context.log.warn(
      { previousKeyId },
      'SLUICE_MASTER_KEY_OLD is still needed: once every process has the new master key, run `npm run cli -- secrets reencrypt`',
    )
}

/**
 * Returns the extra routes of a local service: the demo buyer's wallet and a receipt to pay. The demo merchant's wallet
 * answers only requests from this machine.
 */
function demoOf(context: Runtime, config: CompleteConfig): Demo {
  const { masterKey, baseUrl } = config
  const { chain } = context
  const merchant = localWallet(masterKey, 'merchant')
  const isMerchantHere = isLoopback(config)
  const add = (app: FastifyInstance) => {
    addDemoWallet(app, demoBuyerPath, { chain, holder: localWallet(masterKey, 'buyer'), baseUrl })
    if (isMerchantHere) addDemoWallet(app, demoMerchantPath, { chain, holder: merchant, baseUrl })
    app.get(demoCheckoutPath, async (_request, reply) => {
      const needs = { ...context, secrets: secretsOf(config, context.random) }
      const receipt = await makeDemoReceipt(needs, merchant)
      return reply.redirect(paymentUrl(baseUrl, receipt), 303)
    })
  }
  return { merchantWallet: isMerchantHere ? demoMerchantPath : undefined, add }
}

function isLoopback({ host }: { readonly host: string }): boolean {
  return ['127.0.0.1', '::1', 'localhost'].includes(host)
}

/**
 * Calls `start` with a port. With PORT=0, it chooses a free port before listening, because payment URLs
 * contain the port.
 */
function withPort<T>(config: CompleteConfig, start: (config: CompleteConfig) => Promise<T>): Promise<T> {
  if (config.port !== 0) return start(config)
  const named = (port: number) => config.baseUrl.replace(/:0$/, `:${port}`)
  return withFreePort(undefined, (port) => start({ ...config, port, baseUrl: named(port) }))
}

/** Returns the configuration as complete. Throws if the database or the master key is missing. */
function asComplete(config: Config): CompleteConfig {
  const { masterKey, databaseUrl } = config
  if (!masterKey)
    throw new Error(
      'SLUICE_MASTER_KEY is required with DATABASE_URL: it encrypts the secrets in the database',
    )
  if (!databaseUrl) throw new Error('DATABASE_URL is required')
  return { ...config, masterKey, databaseUrl }
}

/**
 * Returns the contracts of another service's local chain, given by RPC_URLS. They have the same addresses on
 * every local chain.
 */
function contractsOfOther(config: Config): LocalContracts | undefined {
  return isLocalNetwork(config.chainId) ? localContracts() : undefined
}
