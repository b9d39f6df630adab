import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { Type } from 'typebox'
import { createSubscription } from '../../src/access/create-subscription.ts'
import { makeGate } from '../../src/access/gate.ts'
import { makeLately } from '../../src/access/lately.ts'
import { RateLimits } from '../../src/access/rate-limits.ts'
import { RequestLog } from '../../src/access/request-log.ts'
import { type Route, route } from '../../src/access/route.ts'
import { SessionTokens } from '../../src/access/session-tokens.ts'
import { answerFromMemory } from '../../src/app/answer-from-memory.ts'
import { addHealth } from '../../src/app/health.ts'
import { makeHttp } from '../../src/app/http.ts'
import { promiseWrites } from '../../src/app/promise-writes.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { systemRandom } from '../../src/kernel/random.ts'
import { ensureMerchant } from '../../src/merchants/ensure-merchant.ts'
import type { Database } from '../../src/platform/database.ts'
import { LastAnswers } from '../../src/platform/degraded.ts'
import { JoiningDatabase } from '../../src/platform/joining-database.ts'
import { makeLog } from '../../src/platform/log.ts'
import { Secrets } from '../../src/platform/secrets.ts'
import { Spool } from '../../src/platform/spool.ts'
import { Ticker } from '../../src/platform/ticker.ts'
import { fixedRates } from '../../src/pricing/fixed-rates.ts'
import { RateBook } from '../../src/pricing/rate-book.ts'
import { receiptRoutes } from '../../src/receipts/routes.ts'
import type { Answer } from './start-api.ts'

/** The API with what it does while its database is away, over a database that a test takes away. */
export type DegradedService = {
  readonly url: string
  readonly merchant: Wallet
  readonly key: string
  readonly spool: Spool
  call(method: string, path: string, options?: { key?: string | undefined; body?: unknown }): Promise<Answer>
  /** How often each telemetry value of a receipt was counted. */
  countTelemetry(): Promise<Map<string, number>>
  stop(): Promise<void>
}

const random = systemRandom
const log = makeLog('silent')

/** Starts it with a merchant and its key. `spoolFolder` may hold what an earlier one promised. */
export async function startDegradedService(needs: {
  db: Database
  clock: Clock
  spoolFolder: string
}): Promise<DegradedService> {
  const { clock } = needs
  const db = new JoiningDatabase(needs.db)
  const secrets = new Secrets('a master key of the tests, long enough', random)
  const baseUrl = 'https://pay.example.com'
  const gate = makeGate({
    tokens: new SessionTokens('a secret for the sessions of the tests'),
    baseUrl,
    isProduction: false,
    edgeSecret: undefined,
    isExternal: false,
    operators: [],
  })
  const rates = new RateBook({ clock, log, sources: [fixedRates({ clock })] })
  const brand = { key: 'service', name: 'Sluice' }
  const routes = [
    ...receiptRoutes({ db, clock, rates, brand, site: { baseUrl, chainId: 31337, isProduction: false } }),
    telemetryRoute(db),
  ]
  await db.run(makeTable)
  const merchant = parseWallet(`0x${Buffer.from(random.bytes(20)).toString('hex')}`) as Wallet
  await ensureMerchant({ db, clock }, merchant, 'Degraded')
  const options = { name: 'test', mode: 'test' } as const
  const made = await createSubscription({ db, clock, random, secrets }, merchant, {
    ...options,
    scopes: undefined,
  })

  const spool = await Spool.open({ clock, random, log }, needs.spoolFolder)
  const promised = promiseWrites({ db, clock, log, spool }, routes)
  const ticker = new Ticker({ clock, log }, [promised.job])
  const app = makeHttp(
    {
      db,
      clock,
      random,
      log,
      secrets,
      gate,
      limits: new RateLimits({ db, clock }, 0),
      requests: new RequestLog({ db, clock, random, log }),
      lately: makeLately({ clock }),
    },
    answerFromMemory(new LastAnswers(), promised.routes),
  )
  addHealth(app)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  ticker.start()
  return {
    url,
    merchant,
    key: made.primaryKey,
    spool,
    async call(method, path, { key = made.primaryKey, body } = {}) {
      const answer = await fetch(url + path, {
        method,
        headers: {
          ...(key && { 'ocp-apim-subscription-key': key }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) }
    },
    async countTelemetry() {
      const rows = await needs.db.rows<{ what: string; count: bigint }>(listCounts, [merchant])
      return new Map(rows.map((row) => [row.what, Number(row.count)]))
    },
    async stop() {
      await app.close()
      await ticker.stop()
      await spool.close()
    },
  }
}

/** As the product's own: open to everybody, a counter for each value of a receipt. */
function telemetryRoute(db: Database): Route {
  return route({
    method: 'POST',
    path: '/api/receipts/status',
    access: { kind: 'judged-later' },
    summary: 'Counts',
    body: Type.Object({ receiptId: Type.String(), wallet: Type.String(), status: Type.String() }),
    answers: { 200: Type.Object({ ok: Type.Literal(true) }) },
    async handle({ body }) {
      await db.run(count, [body.wallet, `${body.receiptId} ${body.status}`])
      return { status: 200, body: { ok: true } }
    },
  })
}

const makeTable = {
  name: 'test-make-telemetry',
  text: `CREATE TABLE IF NOT EXISTS test_telemetry (merchant text, what text, count bigint, PRIMARY KEY (merchant, what))`,
}

const count = {
  name: 'test-count-telemetry',
  text: `INSERT INTO test_telemetry VALUES ($1, $2, 1)
    ON CONFLICT (merchant, what) DO UPDATE SET count = test_telemetry.count + 1`,
}

const listCounts = {
  name: 'test-list-telemetry',
  text: 'SELECT what, count FROM test_telemetry WHERE merchant = $1',
}
