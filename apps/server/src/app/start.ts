import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Bps, Cents } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { FastifyInstance } from 'fastify'
import { subscriptionRoutes } from '../access/keys/routes.ts'
import type { Route } from '../access/route.ts'
import { authRoutes } from '../access/sessions/routes.ts'
import { teamRoutes } from '../access/team-routes.ts'
import { noteFactory } from '../chain/factory-store.ts'
import { watchFactory } from '../chain/watch-factory.ts'
import { inventoryRoutes } from '../inventory/routes.ts'
import { unlessAborted } from '../kernel/abort.ts'
import { wait } from '../kernel/clock.ts'
import { findOwnTaxRate } from '../merchants/find-settings.ts'
import { orderRoutes } from '../orders/routes.ts'
import { taxRoutes } from '../orders/tax-routes.ts'
import { registerPages } from '../pages/register-pages.ts'
import { withdrawOffers } from '../payments/attempts/withdraw-offers.ts'
import { findCheckout, getPayableReceipt } from '../payments/checkout/find-checkout.ts'
import { openAttempt } from '../payments/checkout/open-attempt.ts'
import { checkoutRoutes } from '../payments/checkout/routes.ts'
import { makeFinalityPolicy } from '../payments/cursors/finality.ts'
import { unmatchedRoutes } from '../payments/inbox/routes.ts'
import { reopenReceipt } from '../payments/reconciliation/reopen-receipt.ts'
import { verifyRefundsName } from '../payments/refunds/verify-refunds.ts'
import { acceptLoss } from '../payments/settlement/accept-loss.ts'
import { sweepRoutes } from '../payments/sweeping/routes.ts'
import { findNewestMigrationFile } from '../platform/database/migrate.ts'
import { NudgeListener } from '../platform/database/notify.ts'
import { Ticker } from '../platform/jobs/ticker.ts'
import { LastAnswers } from '../platform/last-answers.ts'
import { takeSeat } from '../platform/process/process-slot.ts'
import type { Secrets } from '../platform/secrets.ts'
import { Spool } from '../platform/spool/spool.ts'
import { managingRoutes } from '../receipts/managing/routes.ts'
import { receiptRoutes } from '../receipts/routes.ts'
import { findMerchantBySlug } from '../shop/find-merchant-by-slug.ts'
import { shopRoutes } from '../shop/routes.ts'
import { BrandOrigins } from '../site/brand-origins.ts'
import { failureCodeRoutes } from '../site/failure-code-routes.ts'
import { findBrandOfMerchant } from '../site/find-brand.ts'
import { siteRoutes } from '../site/routes.ts'
import { findCurrentSplit } from '../split/find-split.ts'
import { splitRoutes } from '../split/routes.ts'
import { webhookRoutes } from '../webhooks/routes.ts'
import { answerFromMemory } from './http/answer-from-memory.ts'
import { announceMs, closeHttp } from './http/close-http.ts'
import { addDrain } from './http/drain.ts'
import { makeHttp } from './http/http.ts'
import { limitOutside, makeAddressOf, makeAdmit } from './http/limit-outside.ts'
import { promiseWrites } from './http/promise-writes.ts'
import { makeJobs } from './jobs.ts'
import { openAccess } from './open-access.ts'
import { addApiDocument } from './openapi/api-document.ts'
import { addHealth, addReadiness } from './probes/health.ts'
import { addMetrics, openMetrics } from './probes/metrics.ts'
import { secretsOf } from './secrets/secrets-of.ts'
import { takeOverFrom } from './take-over.ts'
import { version } from './version.ts'
import type { CompleteConfig, World } from './world.ts'

/** A service at work. */
export type RunningSluice = {
  /** Where it listens: with PORT=0 the port it was given. */
  readonly port: number
  /** Its public address, which payment URLs begin with. */
  readonly baseUrl: string
  readonly app: FastifyInstance
  /** The API's routes as they were declared. */
  readonly routes: readonly Route[]
  readonly secrets: Secrets
  /** Answers what was accepted, ends the rounds under way, then lets go of everything. */
  stop(): Promise<void>
}

const localChainId = 31337
const roundsLimitMs = 4_000

/**
 * Puts the service together and sets it to work: routes, pages, jobs. The database is migrated before.
 *
 * Where it fails, or is told to stop, it leaves nothing behind; the world stays open.
 *
 * @param options - `addDemo`: what a local service answers beside the product, the demo buyer's wallet.
 */
export async function startSluice(
  world: World,
  config: CompleteConfig,
  options: {
    addDemo?: ((app: FastifyInstance) => void) | undefined
    stop?: AbortSignal | undefined
  } = {},
): Promise<RunningSluice> {
  const { addDemo, stop } = options
  const secrets = secretsOf(config, world.random)
  const { baseUrl, chainId, isProduction } = config
  const policy = makeFinalityPolicy({ isProduction, endpointCount: config.rpcUrls.length })
  const brandOrigins = new BrandOrigins()
  const access = openAccess(world, config, secrets, brandOrigins)
  // What answers requests works through a database that joins the transaction of an Idempotency-Key.
  const asked = { ...world, ...access.parts }
  const spool = await Spool.open(world, join(config.dataDir, 'spool'))
  const seat = await takeSeat(join(config.dataDir, 'seats'), world.holder, (dead) =>
    takeOverFrom(world, dead),
  )
  await noteFactory(world.db, world.chain, world.clock.now())
  const observed = { ...world, chain: { id: chainId, time: world.chain.time }, spool }
  const metrics = openMetrics(observed)
  const checkout = {
    ...asked,
    offer: {
      rates: world.rates,
      minCents: config.orderMinCents as Cents,
      maxCents: config.orderMaxCents as Cents,
    },
    policy,
  }
  const site = { baseUrl, chainId, isProduction }
  const platform = { feeBps: config.platformFeeBps as Bps, recipient: config.platformRecipient }
  const splits = {
    platform,
    hasDeployer: config.deployerKey !== undefined,
    changeDelayMs: config.splitChangeDelayMs,
  }
  const ownTaxRate = (merchant: Wallet, code: string) => findOwnTaxRate(asked, merchant, code)
  const routes = [
    ...authRoutes({ ...asked, site: { baseUrl, signups: config.signups } }),
    ...subscriptionRoutes(asked),
    ...teamRoutes(asked),
    ...receiptRoutes({ ...asked, site }),
    ...managingRoutes({
      ...asked,
      site,
      verifyRefundsName,
      withdrawOffers: (tx, merchant, id) => withdrawOffers({ ...asked, tx }, merchant, id),
      reopen: (tx, merchant, id) => reopenReceipt({ ...asked, tx }, merchant, id),
      acceptLoss: (tx, receipt, detail) => acceptLoss({ ...asked, tx }, receipt, detail),
      findOwnTaxRate: ownTaxRate,
    }),
    ...inventoryRoutes({ ...asked, findBySlug: (slug) => findMerchantBySlug(asked.db, slug) }),
    ...orderRoutes({ ...asked, site, platform, findOwnTaxRate: ownTaxRate }),
    ...taxRoutes(),
    ...splitRoutes({ ...asked, splits }),
    ...shopRoutes({ ...asked, hasSplit: async (it) => (await findCurrentSplit(asked.db, it)) !== undefined }),
    ...siteRoutes({ ...asked, site: config }),
    ...failureCodeRoutes(),
    ...checkoutRoutes(checkout),
    ...unmatchedRoutes(checkout),
    ...sweepRoutes(asked),
    ...webhookRoutes({
      ...asked,
      receivers: {
        outbound: world.webhooks,
        isProduction,
        brandKeyOf: async (merchant) => (await findBrandOfMerchant(asked.db, merchant)).key,
      },
    }),
  ]
  const promised = promiseWrites({ ...asked, spool }, routes)
  const ticker = new Ticker(world, [
    ...makeJobs(world, config, { secrets, policy, metrics }),
    ...access.jobs,
    promised.job,
  ])
  const listener = new NudgeListener({
    url: config.databaseUrl,
    clock: world.clock,
    log: world.log,
    onNudge: (name) => ticker.nudge(name),
  })
  const memory = {
    answers: new LastAnswers(),
    brandHost: (host: string | undefined) => brandOrigins.domainOf(host),
  }
  const app = makeHttp(asked, answerFromMemory(memory, promised.routes))
  const admit = makeAdmit(asked)
  limitOutside(app, admit)
  const drain = addDrain(app)
  addHealth(app)
  addReadiness(
    app,
    {
      ...observed,
      newestMigration: await findNewestMigrationFile(),
      factory: watchFactory(world),
      drain,
    },
    config,
  )
  addMetrics(app, metrics, config)
  await addApiDocument(app, routes, { baseUrl, version })
  await registerPages(app, {
    ...world,
    clock: world.chain.time,
    admit,
    addressOf: makeAddressOf(access.parts.gate),
    checkouts: {
      find: (request) => findCheckout(checkout, request.id, request),
      openAttempt: async (request, token) =>
        openAttempt(checkout, await getPayableReceipt(asked, request.id, request), { token }, 'page'),
    },
    site: {
      baseUrl,
      isProduction,
      hasDemoWallet: addDemo !== undefined,
      localRpcUrl: chainId === localChainId ? config.rpcUrls[0] : undefined,
    },
  })
  addDemo?.(app)
  const letGo = async () => {
    await listener.close()
    await spool.close()
    await seat.leave()
  }
  try {
    stop?.throwIfAborted()
    await app.listen({ port: config.port, host: config.host })
    await unlessAborted(listener.open(), stop)
  } catch (error) {
    await closeHttp(world, app)
    await letGo()
    throw error
  }
  ticker.start()
  return {
    port: (app.server.address() as AddressInfo).port,
    baseUrl,
    app,
    routes,
    secrets,
    async stop() {
      const farewell = { drain, announceMs: isProduction ? announceMs : 0 }
      await Promise.all([closeHttp(world, app, farewell), stopRounds(world, ticker)])
      await letGo()
      await world.close()
    },
  }
}

/** Ends the rounds under way, or leaves them to be run anew by the next start where the chain keeps them waiting. */
async function stopRounds({ clock, log }: World, ticker: Ticker): Promise<void> {
  let isDone = false
  const stopped = ticker.stop().then(() => {
    isDone = true
  })
  await Promise.race([stopped, wait(clock, roundsLimitMs)])
  if (!isDone) log.warn('a round of a job does not end; it is aborted and runs again after the next start')
}
