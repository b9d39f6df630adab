import type { Scope } from '@sluice/protocol/api/access.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { parseWallet } from '@sluice/protocol/wallet.ts'
import type { FastifyInstance } from 'fastify'
import { bytesToHex, type Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { RequestLog } from '../../../src/access/audit/request-log.ts'
import { makeLately } from '../../../src/access/guard/lately.ts'
import { modeOfChain } from '../../../src/access/keys/api-key.ts'
import { createSubscription } from '../../../src/access/keys/create-subscription.ts'
import { subscriptionRoutes } from '../../../src/access/keys/routes.ts'
import { RateLimits } from '../../../src/access/limits/rate-limits.ts'
import { RefusedAttempts } from '../../../src/access/limits/refused-attempts.ts'
import type { Route } from '../../../src/access/route.ts'
import { makeGate } from '../../../src/access/sessions/gate.ts'
import { authRoutes } from '../../../src/access/sessions/routes.ts'
import { SessionTokens } from '../../../src/access/sessions/session-tokens.ts'
import { teamRoutes } from '../../../src/access/team-routes.ts'
import { makeHttp } from '../../../src/app/http/http.ts'
import type { ServeNeeds } from '../../../src/app/http/serve-route.ts'
import { addHealth } from '../../../src/app/probes/health.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import { ChainUnavailable } from '../../../src/chain/chain-unavailable.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { type Random, systemRandom } from '../../../src/kernel/random.ts'
import { ensureMerchant } from '../../../src/merchants/ensure-merchant.ts'
import { findOwnTaxRate } from '../../../src/merchants/find-settings.ts'
import { withdrawOffers } from '../../../src/payments/attempts/withdraw-offers.ts'
import { reopenReceipt } from '../../../src/payments/reconciliation/reopen-receipt.ts'
import { acceptLoss } from '../../../src/payments/settlement/accept-loss.ts'
import { JoiningDatabase } from '../../../src/platform/database/joining-database.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { Secrets } from '../../../src/platform/secrets.ts'
import { traceDatabase } from '../../../src/platform/tracing/trace-database.ts'
import { noTracer, type Tracer } from '../../../src/platform/tracing/tracer.ts'
import { fixedRates } from '../../../src/pricing/rates/fixed-rates.ts'
import { RateBook } from '../../../src/pricing/rates/rate-book.ts'
import type { RateSource } from '../../../src/pricing/rates/rate-source.ts'
import { managingRoutes } from '../../../src/receipts/managing/routes.ts'
import { type ReceiptNeeds, receiptRoutes } from '../../../src/receipts/routes.ts'
import { changeShop } from '../../../src/shop/change-shop.ts'
import { makeTestDatabase, type TestDatabase } from '../database/test-database.ts'
import { holdToDocument } from '../routes/hold-to-document.ts'
import { keptLog, registerSecrets, registerSecretsIn } from '../secrets/secret-register.ts'
import { TestClock } from '../test-clock.ts'

/** A merchant of the test with a key of its own. */
export type TestMerchant = {
  readonly wallet: Wallet
  readonly privateKey: Hex
  readonly subscriptionId: string
  readonly key: string
  readonly secondaryKey: string
}

/** What an answer came to. */
export type Answer = {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly body: any
  readonly text: string
}

/** What a request carries. A session's cookie goes with its CSRF token and the origin of our pages. */
export type CallOptions = {
  readonly key?: string | undefined
  readonly session?: { readonly cookie: string; readonly csrfToken: string } | undefined
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** What routes need that a test adds. */
export type TestNeeds = ReceiptNeeds & { readonly secrets: Secrets }

/** What of the deployment a test decides. */
export type ApiOptions = {
  readonly rates?: RateSource[]
  readonly edgeSecret?: string
  readonly isExternalGateway?: boolean
  readonly operators?: readonly Wallet[]
  readonly signups?: 'open' | 'invited'
  /** As in production: webhooks and redirects over https only. */
  readonly isProduction?: boolean
  /** 0, no limits, where absent. */
  readonly rateLimitScale?: number
  readonly tracer?: Tracer
  /** Asked about the signatures of smart accounts; not to be reached where absent. */
  readonly callCode?: Chain['callCode']
  /** Whether that is more than one stranger's word; it is where absent. */
  readonly isCorroborated?: boolean
  /** The time of deadlines where it is another than the clock's. */
  readonly deadlines?: Pick<Clock, 'now'>
  /** Signs sessions in place of the usual one, which stays good as the one before. */
  readonly sessionSecret?: string
  /** One more process on the database and with the clock of another. */
  readonly beside?: TestApi
  readonly more?: (needs: TestNeeds & { readonly access: ServeNeeds }) => Route[]
}

const masterKey = 'a master key of the tests, long enough'
const sessionSecret = 'a secret for the sessions of the tests'

/** The address of the API's pages. */
export const testBaseUrl = 'https://pay.example.com'

/** The API on a real HTTP server over a real PostgreSQL, with a clock the test moves and no chain. */
export type TestApi = {
  readonly url: string
  readonly app: FastifyInstance
  readonly routes: readonly Route[]
  readonly database: TestDatabase
  readonly clock: TestClock
  readonly needs: TestNeeds
  readonly access: ServeNeeds
  /** `name` is that of its shop; without one it has none. */
  addMerchant(options?: { name?: string; scopes?: readonly Scope[] }): Promise<TestMerchant>
  /** Sends `body` as JSON, or as it is where it is a text. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  stop(): Promise<void>
}

/** Starts the API of access and receipts, and what `more` adds to it. */
export async function startApi(options: ApiOptions = {}): Promise<TestApi> {
  const database = options.beside?.database ?? (await makeTestDatabase())
  const clock = options.beside?.clock ?? new TestClock()
  const random: Random = systemRandom
  const log = makeLog('debug', keptLog('api'))
  const access = openTestAccess(database, clock, options)
  const rates = new RateBook({ clock, log, sources: options.rates ?? [fixedRates({ clock })] })
  const needs: TestNeeds = {
    db: access.db,
    secrets: access.secrets,
    clock,
    deadlines: options.deadlines ?? clock,
    rates,
    site: { baseUrl: testBaseUrl, chainId: 31337, isProduction: options.isProduction ?? false },
  }
  const { callCode = chainAway, isCorroborated = true } = options
  const chain = { id: 31337, callCode, isCorroborated }
  const routes = [
    ...authRoutes({ ...access, random, chain, site: { ...needs.site, signups: options.signups ?? 'open' } }),
    ...subscriptionRoutes({ ...access, random, chain }),
    ...teamRoutes(access),
    ...receiptRoutes(needs),
    ...managingRoutes({
      ...needs,
      random,
      log,
      withdrawOffers: (tx, merchant, id) => withdrawOffers({ tx, clock }, merchant, id),
      reopen: (tx, merchant, id) => reopenReceipt({ tx, clock }, merchant, id),
      acceptLoss: (tx, receipt, detail) => acceptLoss({ tx, clock, chain }, receipt, detail),
      findOwnTaxRate: (merchant, code) => findOwnTaxRate(access, merchant, code),
    }),
    ...(options.more?.({ ...needs, access }) ?? []),
  ]
  const app = makeHttp({ ...access, random, log, tracer: options.tracer }, routes)
  addHealth(app)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    url,
    app,
    routes,
    database,
    clock,
    needs,
    access,
    async addMerchant({ name, scopes } = {}) {
      const privateKey = bytesToHex(random.bytes(32))
      const wallet = parseWallet(privateKeyToAddress(privateKey)) as Wallet
      await ensureMerchant(needs, wallet, name ?? 'Test Merchant')
      if (name !== undefined) await changeShop(needs, wallet, { name })
      const made = await createSubscription({ ...access, random }, wallet, {
        name: 'test',
        mode: modeOfChain(31337),
        scopes,
      })
      registerSecrets(privateKey, made.primaryKey, made.secondaryKey)
      return {
        wallet,
        privateKey,
        subscriptionId: made.id,
        key: made.primaryKey,
        secondaryKey: made.secondaryKey,
      }
    },
    call: async (...request) => holdToDocument(routes, request, await callApi(url, ...request)),
    async stop() {
      await app.close()
      if (!options.beside) await database.drop()
    },
  }
}

/** Sends a request to the API at `url`, as {@link TestApi.call} does to its own. */
export async function callApi(
  url: string,
  method: string,
  path: string,
  { key, session, body, headers }: CallOptions = {},
): Promise<Answer> {
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(key !== undefined && { 'ocp-apim-subscription-key': key }),
      ...(session && {
        cookie: session.cookie,
        'x-csrf-token': session.csrfToken,
        origin: testBaseUrl,
      }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  registerSecretsIn(text, answer.headers.get('set-cookie'))
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: text ? JSON.parse(text) : undefined,
  }
}

function openTestAccess(database: TestDatabase, clock: TestClock, options: ApiOptions): ServeNeeds {
  const db = new JoiningDatabase(traceDatabase(options.tracer ?? noTracer, database.pool))
  const log = makeLog('debug', keptLog('access'))
  registerSecrets(masterKey, sessionSecret, options.sessionSecret, options.edgeSecret)
  const gate = makeGate({
    tokens: new SessionTokens(
      options.sessionSecret ?? sessionSecret,
      options.sessionSecret ? [sessionSecret] : [],
    ),
    baseUrl: testBaseUrl,
    isProduction: false,
    edgeSecret: options.edgeSecret,
    isExternal: options.isExternalGateway ?? false,
    operators: options.operators ?? [],
  })
  const secrets = new Secrets(masterKey, systemRandom)
  return {
    db,
    clock,
    secrets,
    refused: new RefusedAttempts({ db: database.pool, clock, secrets, log }),
    gate,
    limits: new RateLimits({ db: database.pool, clock }, options.rateLimitScale ?? 0),
    lately: makeLately({ clock }),
    requests: new RequestLog({ db: database.pool, clock, random: systemRandom, log }),
  }
}

async function chainAway(): Promise<never> {
  throw new ChainUnavailable('This test has no chain')
}
