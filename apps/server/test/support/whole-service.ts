import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Route } from '../../src/access/route.ts'
import { startSluice } from '../../src/app/start.ts'
import { openWorld, type World } from '../../src/app/world.ts'
import { addDemoWallet } from '../../src/local/demo-wallet.ts'
import { localWallet } from '../../src/local/master-key.ts'
import { readConfig } from '../../src/platform/config.ts'
import { makeLog } from '../../src/platform/log.ts'
import { fixedRates } from '../../src/pricing/fixed-rates.ts'
import { RateBook } from '../../src/pricing/rate-book.ts'
import { newWallet } from './log-in.ts'
import { keepLog, registerSecrets } from './secret-register.ts'
import { testBaseUrl } from './start-api.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'
import { startTestChain, type TestChain } from './test-chain.ts'
import { TestClock } from './test-clock.ts'
import { makeTestDatabase, type TestDatabase } from './test-database.ts'

/** The service as production starts it, with the local demo wallet beside it, over a real database and a real chain. */
export type WholeService = {
  readonly port: number
  readonly app: FastifyInstance
  /** The API's routes as they were declared. */
  readonly routes: readonly Route[]
  readonly database: TestDatabase
  readonly chain: TestChain
  readonly world: World
  readonly clock: TestClock
  /** Log lines of level warn and above. */
  readonly logged: Record<string, unknown>[]
  readonly operator: ReturnType<typeof newWallet>
  readonly edgeSecret: string
  /** What no answer may ever show. */
  readonly secrets: readonly string[]
  stop(): Promise<void>
}

/**
 * Starts it with the settings of production, but for who may sign up and for limits too wide to be met. The clock
 * stands still, so jobs run once and when they are nudged; every webhook is answered with 200 at once.
 */
export async function startWholeService(): Promise<WholeService> {
  const [database, chain, folder] = await Promise.all([
    makeTestDatabase(),
    startTestChain({ blockTime: 'manual' }),
    makeTemporaryFolder('whole'),
  ])
  const operator = newWallet()
  const secret = () => randomBytes(32).toString('base64url')
  const [masterKey, jwtSecret, edgeSecret] = [secret(), secret(), secret()]
  const settings = readConfig({
    NODE_ENV: 'production',
    PORT: '0',
    BASE_URL: testBaseUrl,
    DATA_DIR: folder.path,
    DATABASE_URL: database.url,
    RPC_URLS: chain.rpcUrl,
    CHAIN_ID: '31337',
    SLUICE_MASTER_KEY: masterKey,
    JWT_SECRET: jwtSecret,
    EDGE_SECRET: edgeSecret,
    SIGNUPS: 'open',
    OPERATOR_WALLETS: operator.wallet,
    PLATFORM_RECIPIENT: newWallet().wallet,
    RATE_LIMIT_SCALE: '100000',
  })
  const config = { ...settings, masterKey, databaseUrl: database.url }
  const logged: Record<string, unknown>[] = []
  const log = makeLog('debug', {
    write(line) {
      keepLog('whole', line)
      const entry = JSON.parse(line)
      if (entry.level >= 40) logged.push(entry)
    },
  })
  const clock = new TestClock(Date.now())
  const opened = openWorld(config, log, chain.contracts)
  const world: World = {
    ...opened,
    clock,
    rates: new RateBook({ clock, log, sources: [fixedRates({ clock })] }),
    webhooks: {
      request: async () => ({ kind: 'answer', status: 200, headers: {}, body: new Uint8Array() }),
    },
  }
  const buyer = localWallet(masterKey, 'buyer')
  registerSecrets(masterKey, jwtSecret, edgeSecret, buyer.privateKey)
  const sluice = await startSluice(world, config, {
    addDemo: (app) => addDemoWallet(app, { chain: world.chain, buyer, baseUrl: testBaseUrl }),
  })
  return {
    port: sluice.port,
    app: sluice.app,
    routes: sluice.routes,
    database,
    chain,
    world,
    clock,
    logged,
    operator,
    edgeSecret,
    secrets: [masterKey, jwtSecret, edgeSecret, buyer.privateKey, new URL(database.url).password],
    async stop() {
      await sluice.stop()
      await opened.close()
      await Promise.all([database.drop(), chain.stop(), folder.remove()])
    },
  }
}
