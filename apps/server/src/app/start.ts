import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import type { FastifyInstance } from 'fastify'
import type { Route } from '../access/route.ts'
import { recordFactory } from '../chain/factory-store.ts'
import { watchFactory } from '../chain/validate-factory.ts'
import { unlessAborted, wait } from '../kernel/clock.ts'
import { registerPages } from '../pages/register-pages.ts'
import { makeFindTheme } from '../pages/theme/make-theme.ts'
import { openSession } from '../payments/cards/open-session.ts'
import { findCheckout, findOnSuccess, getPayableReceipt } from '../payments/checkout/find-checkout.ts'
import { openAttempt } from '../payments/checkout/open-attempt.ts'
import { NudgeListener } from '../platform/database/notify.ts'
import { findNewestMigrationFile } from '../platform/database/opening/migrate.ts'
import { takeSeat } from '../platform/jobs/lease.ts'
import { Ticker } from '../platform/jobs/ticker.ts'
import { readDataFolder } from '../platform/process/data-folder.ts'
import { takeProcessSlot } from '../platform/process/process-slot.ts'
import type { Secrets } from '../platform/secrets.ts'
import { sandboxPages } from './card-sandbox.ts'
import { serveDashboard } from './dashboard/serve-dashboard.ts'
import { findStoredImage, openImages, readThemeSettings } from './find-stored-image.ts'
import { addDrain, announceMs, closeHttp, type Drain } from './http/close-http.ts'
import { maxConnections } from './http/http.ts'
import { limitOutside, makeAddressOf, makeAdmit } from './http/limit-outside.ts'
import { handleUnknownPaths } from './http/send-errors.ts'
import { openService, type Service } from './open-service.ts'
import { addApiDocument } from './openapi/api-document.ts'
import { addHealth, addReadiness } from './probes/health.ts'
import { addMetrics } from './probes/metrics.ts'
import { findEmbedOrigins, findPayUrl, receiptPageParts, respondToPrograms } from './receipt-pages.ts'
import { checkoutParts } from './routes.ts'
import type { CompleteConfig, Runtime } from './runtime.ts'
import { makeStores } from './storefronts.ts'
import { takeOverFrom } from './take-over.ts'
import { version } from './version.ts'

export type RunningSluice = {
  /** Actual port, also with `PORT=0`. */
  readonly port: number
  readonly baseUrl: string
  readonly app: FastifyInstance
  readonly routes: readonly Route[]
  readonly secrets: Secrets
  buildDashboard(): Promise<void>
  stop(): Promise<void>
}

export type Demo = {
  /** Path of the demo merchant's wallet, or `undefined` if other machines could reach it. */
  readonly merchantWallet: string | undefined
  add(app: FastifyInstance): void
}

const roundsLimitMs = 4_000

/**
 * Starts the service: routes, pages and jobs. The database must be migrated.
 *
 * After an error or an abort, everything except the runtime is closed.
 */
export async function startSluice(
  context: Runtime,
  config: CompleteConfig,
  options: {
    demo?: Demo | undefined
    stop?: AbortSignal | undefined
  } = {},
): Promise<RunningSluice> {
  const { demo, stop } = options
  const { baseUrl, isProduction } = config
  const service = await openService(context, config, { demoWallet: demo?.merchantWallet })
  const { app, parts, journal } = service
  const slot = await takeProcessSlot(join(config.dataDir, 'seats'), context.holder, (dead) =>
    takeOverFrom(context, dead),
  )
  await recordFactory(context.db, context.chain, context.clock.now())
  const ticker = new Ticker(context, service.jobs)
  const listener = new NudgeListener({
    url: config.databaseUrl,
    clock: context.clock,
    log: context.log,
    onNudge: (name) => ticker.nudge(name),
    alongside: { text: takeSeat, values: [context.holder] },
    onChange: (kind) => context.changes.notify(kind),
    onHearing: (isHearing) => context.changes.hear(isHearing),
  })
  context.changes.whenSilent(() => listener.renew())
  const { drain, buildDashboard } = await addResponses(context, config, service, demo)
  const letGo = async () => {
    await listener.close()
    await journal.close()
    await slot.leave()
  }
  try {
    stop?.throwIfAborted()
    await app.listen({ port: config.port, host: config.host, backlog: maxConnections })
    await unlessAborted(listener.open(), stop)
  } catch (error) {
    await closeHttp(context, app)
    await letGo()
    throw error
  }
  ticker.start()
  return {
    port: (app.server.address() as AddressInfo).port,
    baseUrl,
    app,
    routes: service.routes,
    secrets: parts.secrets,
    buildDashboard,
    async stop() {
      const farewell = { drain, announceMs: announceMs[isProduction ? 'production' : 'development'] }
      await Promise.all([closeHttp(context, app, farewell), stopRounds(context, ticker)])
      await letGo()
      await context.close()
    },
  }
}

async function addResponses(
  context: Runtime,
  config: CompleteConfig,
  { app, parts, metrics, routes }: Service,
  demo: Demo | undefined,
): Promise<{ drain: Drain; buildDashboard: () => Promise<void> }> {
  const { baseUrl, chainId, isProduction } = config
  const admit = makeAdmit(parts)
  limitOutside(app, admit)
  const drain = addDrain(app)
  addHealth(app)
  const newestMigration = await findNewestMigrationFile()
  const dataFolder = () => readDataFolder(config.dataDir)
  const factory = watchFactory(context)
  addReadiness(app, { ...context, newestMigration, factory, dataFolder, drain }, config)
  addMetrics(app, metrics, config)
  await addApiDocument(app, routes, { baseUrl, version }, context.random)
  const checkout = checkoutParts(parts, config)
  const unknownPage = await registerPages(app, {
    ...context,
    clock: context.chain.time,
    admit,
    addressOf: makeAddressOf(parts.gate),
    ...receiptPageParts(parts, config),
    checkouts: {
      find: (request) => findCheckout(checkout, request.id, request),
      openAttempt: async (request, token) =>
        openAttempt(checkout, await getPayableReceipt(parts, request.id, request), { token }, 'page'),
      openCard:
        parts.onramp.current &&
        (async (request) => {
          const receipt = await getPayableReceipt(parts, request.id, request)
          return (await openSession(checkout, receipt, request.clientAddress)).url
        }),
      findOnSuccess: (request) => findOnSuccess(parts, request.id, request),
      findPayUrl: (request) => findPayUrl(parts.db, request, baseUrl),
    },
    embedding: { findOrigins: (merchant) => findEmbedOrigins(parts.db, merchant) },
    themes: {
      find: makeFindTheme(context.log, (merchant, host) => readThemeSettings(parts.db, merchant, host)),
    },
    images: {
      store: await openImages(context, config),
      findStored: (owner, slot) => findStoredImage(parts.db, owner, slot),
    },
    sandbox: sandboxPages(context, config),
    respondToProgram: respondToPrograms(parts, config),
    stores: makeStores(parts, config),
    site: {
      baseUrl,
      isProduction,
      hasDemoWallet: demo !== undefined,
      localRpcUrl: isLocalNetwork(chainId) ? config.rpcUrls[0] : undefined,
      walletConnectProject: config.walletConnectProject,
    },
  })
  demo?.add(app)
  const buildDashboard = serveDashboard(app, {
    log: context.log,
    dataDir: config.dataDir,
    hasWalletConnect: config.walletConnectProject !== undefined,
  })
  handleUnknownPaths(app, unknownPage)
  return { drain, buildDashboard }
}

/** Stops the jobs. A round that does not end in time runs again after the next start. */
async function stopRounds({ clock, log }: Runtime, ticker: Ticker): Promise<void> {
  let isDone = false
  const stopped = ticker.stop().then(() => {
    isDone = true
  })
  await Promise.race([stopped, wait(clock, roundsLimitMs)])
  if (!isDone) log.warn('a job round did not end in time and was aborted; it runs again after the next start')
}
