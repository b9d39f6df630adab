import type { Wallet } from '@sluice/protocol/wallet.ts'
import { parseWallet } from '@sluice/protocol/wallet.ts'
import type { FastifyInstance } from 'fastify'
import { modeOfChain } from '../../src/access/api-key.ts'
import type { Scope } from '../../src/access/caller.ts'
import { createSubscription } from '../../src/access/create-subscription.ts'
import type { Route } from '../../src/access/route.ts'
import { addHealth } from '../../src/app/health.ts'
import { makeHttp } from '../../src/app/http.ts'
import { type Random, systemRandom } from '../../src/kernel/random.ts'
import { ensureMerchant } from '../../src/merchants/ensure-merchant.ts'
import { makeLog } from '../../src/platform/log.ts'
import { Secrets } from '../../src/platform/secrets.ts'
import { fixedRates } from '../../src/pricing/fixed-rates.ts'
import { RateBook } from '../../src/pricing/rate-book.ts'
import type { RateSource } from '../../src/pricing/rate-source.ts'
import { type ReceiptNeeds, receiptRoutes } from '../../src/receipts/routes.ts'
import { TestClock } from './test-clock.ts'
import { makeTestDatabase, type TestDatabase } from './test-database.ts'

/** A merchant of the test with a key of its own. */
export type TestMerchant = { readonly wallet: Wallet; readonly key: string; readonly secondaryKey: string }

/** What an answer came to. */
export type Answer = {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly body: any
  readonly text: string
}

/** The API on a real HTTP server over a real PostgreSQL, with a clock the test moves and no chain. */
export type TestApi = {
  readonly url: string
  readonly app: FastifyInstance
  readonly database: TestDatabase
  readonly clock: TestClock
  readonly needs: ReceiptNeeds
  addMerchant(options?: { name?: string; scopes?: readonly Scope[] }): Promise<TestMerchant>
  /** Sends `body` as JSON, or as it is where it is a text. */
  call(
    method: string,
    path: string,
    options?: { key?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Answer>
  stop(): Promise<void>
}

/** Starts the API of the receipts, and what `more` adds to it. */
export async function startApi(
  options: { rates?: RateSource[]; edgeSecret?: string; more?: (needs: ReceiptNeeds) => Route[] } = {},
): Promise<TestApi> {
  const database = await makeTestDatabase()
  const clock = new TestClock()
  const random: Random = systemRandom
  const log = makeLog('silent')
  const secrets = new Secrets('a master key of the tests, long enough', random)
  const rates = new RateBook({ clock, log, sources: options.rates ?? [fixedRates({ clock })] })
  const needs: ReceiptNeeds = {
    db: database.pool,
    clock,
    rates,
    brand: { key: 'service', name: 'Sluice' },
    site: { baseUrl: 'https://pay.example.com', chainId: 31337, isProduction: false },
  }
  const app = makeHttp({ db: database.pool, clock, random, log, edgeSecret: options.edgeSecret }, [
    ...receiptRoutes(needs),
    ...(options.more?.(needs) ?? []),
  ])
  addHealth(app)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    url,
    app,
    database,
    clock,
    needs,
    async addMerchant({ name = 'Test Shop', scopes } = {}) {
      const wallet = parseWallet(`0x${Buffer.from(random.bytes(20)).toString('hex')}`) as Wallet
      await ensureMerchant(needs, wallet, name)
      const made = await createSubscription({ db: database.pool, clock, random, secrets }, wallet, {
        name: 'test',
        mode: modeOfChain(31337),
        ...(scopes && { scopes }),
      })
      return { wallet, key: made.primaryKey, secondaryKey: made.secondaryKey }
    },
    async call(method, path, { key, body, headers } = {}) {
      const answer = await fetch(url + path, {
        method,
        headers: {
          ...(key !== undefined && { 'ocp-apim-subscription-key': key }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await answer.text()
      return {
        status: answer.status,
        headers: answer.headers,
        text,
        body: text ? JSON.parse(text) : undefined,
      }
    },
    async stop() {
      await app.close()
      await database.drop()
    },
  }
}
