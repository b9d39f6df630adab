import type { Wallet } from '@sluice/protocol/wallet.ts'
import { RequestLog } from '../../../src/access/audit/request-log.ts'
import { makeLately } from '../../../src/access/guard/lately.ts'
import { createSubscription } from '../../../src/access/keys/create-subscription.ts'
import { RateLimits } from '../../../src/access/limits/rate-limits.ts'
import { RefusedAttempts } from '../../../src/access/limits/refused-attempts.ts'
import { makeGate } from '../../../src/access/sessions/gate.ts'
import { authRoutes } from '../../../src/access/sessions/routes.ts'
import { SessionTokens } from '../../../src/access/sessions/session-tokens.ts'
import { answerFromMemory } from '../../../src/app/http/answer-from-memory.ts'
import { makeHttp } from '../../../src/app/http/http.ts'
import { promiseWrites } from '../../../src/app/http/promise-writes.ts'
import { addHealth } from '../../../src/app/probes/health.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { ensureMerchant } from '../../../src/merchants/ensure-merchant.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import { JoiningDatabase } from '../../../src/platform/database/joining-database.ts'
import { Ticker } from '../../../src/platform/jobs/ticker.ts'
import { LastAnswers } from '../../../src/platform/last-answers.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { Secrets } from '../../../src/platform/secrets.ts'
import { Spool } from '../../../src/platform/spool/spool.ts'
import { fixedRates } from '../../../src/pricing/rates/fixed-rates.ts'
import { RateBook } from '../../../src/pricing/rates/rate-book.ts'
import { managingRoutes } from '../../../src/receipts/managing/routes.ts'
import { receiptRoutes } from '../../../src/receipts/routes.ts'
import { shopRoutes } from '../../../src/shop/routes.ts'
import { logIn, newWallet, type TestSession } from '../asking/log-in.ts'
import { keptLog, registerSecrets, registerSecretsIn } from '../secrets/secret-register.ts'
import type { Answer, CallOptions } from '../worlds/start-api.ts'

/** The API with what it does while its database is away, over a database that a test takes away. */
export type DegradedService = {
  readonly url: string
  readonly merchant: Wallet
  readonly key: string
  readonly spool: Spool
  /** With the merchant's key where nothing else is said. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Logs the merchant's owner in. */
  logIn(): Promise<TestSession>
  /** The key of one more merchant. */
  addMerchant(): Promise<string>
  /** How often each telemetry value of a receipt was counted. */
  countTelemetry(): Promise<Map<string, number>>
  stop(): Promise<void>
}

const random = systemRandom
const log = makeLog('debug', keptLog('degraded'))

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
  const site = { baseUrl, chainId: 31337, isProduction: false }
  const limits = new RateLimits({ db, clock }, 0)
  const refused = new RefusedAttempts({ db, clock, secrets, log })
  const chain = { id: 31337, callCode: noChain, isCorroborated: true }
  const routes = [
    ...receiptRoutes({ db, clock, deadlines: clock, rates, site }),
    ...managingRoutes({
      db,
      secrets,
      clock,
      deadlines: clock,
      random,
      rates,
      site,
      log,
      withdrawOffers: async () => true,
      reopen: async () => {},
      acceptLoss: async () => {},
    }),
    ...shopRoutes({ db, clock, secrets, hasSplit: async () => false }),
    ...authRoutes({
      db,
      clock,
      random,
      secrets,
      gate,
      limits,
      refused,
      chain,
      site: { baseUrl, signups: 'open' },
    }),
  ]
  const account = newWallet()
  const merchant = account.wallet
  const addMerchant = async (wallet: Wallet) => {
    await ensureMerchant({ db, clock }, wallet, 'Degraded')
    const options = { name: 'test', mode: 'test', scopes: undefined } as const
    const made = await createSubscription({ db, clock, random, secrets }, wallet, options)
    registerSecrets(made.primaryKey, made.secondaryKey)
    return made
  }
  const made = await addMerchant(merchant)

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
      limits,
      refused,
      requests: new RequestLog({ db, clock, random, log }),
      lately: makeLately({ clock }),
    },
    answerFromMemory({ answers: new LastAnswers(), brandHost: () => '' }, promised.routes),
  )
  addHealth(app)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  ticker.start()
  const call: DegradedService['call'] = async (method, path, { key, session, body } = {}) => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...(session
          ? { cookie: session.cookie, 'x-csrf-token': session.csrfToken, origin: baseUrl }
          : key !== '' && { 'ocp-apim-subscription-key': key ?? made.primaryKey }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    registerSecretsIn(text, answer.headers.get('set-cookie'))
    return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) }
  }
  return {
    url,
    merchant,
    key: made.primaryKey,
    spool,
    call,
    logIn: () => logIn({ call }, account),
    addMerchant: async () => (await addMerchant(newWallet().wallet)).primaryKey,
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

async function noChain(): Promise<never> {
  throw new Error('these accounts have no code')
}

const listCounts = {
  name: 'test-list-telemetry',
  text: `SELECT receipt_id || ' ' || value AS what, count FROM receipt_telemetry WHERE merchant = $1`,
}
