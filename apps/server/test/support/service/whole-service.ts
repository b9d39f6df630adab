import { openRuntime, type Runtime } from '../../../src/app/runtime.ts'
import { startSluice } from '../../../src/app/start.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import { ChainTime } from '../../../src/chain/chain-time.ts'
import { type Random, systemRandom } from '../../../src/kernel/random.ts'
import { addDemoWallet, demoBuyerPath, demoMerchantPath } from '../../../src/local/demo-wallet.ts'
import { localContracts } from '../../../src/local/deploy-contracts.ts'
import { localWallet } from '../../../src/local/local-settings.ts'
import { listProviders } from '../../../src/onramp/registry.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import type { Log } from '../../../src/platform/log.ts'
import type { Outbound } from '../../../src/platform/outbound/outbound.ts'
import { readConfig } from '../../../src/platform/settings/config.ts'
import { fixedRates } from '../../../src/pricing/rates/live-rates.ts'
import { RateBook } from '../../../src/pricing/rates/rate-book.ts'
import { testBaseUrl } from '../api/call-api.ts'
import { offline } from '../api/offline.ts'
import { makePaperProvider } from '../api/onramp.ts'
import { newWallet } from '../api/sessions.ts'
import { keepWarnings } from '../api/start-api.ts'
import { makeLastAudit } from '../chain/audit-chain.ts'
import { startTestChain } from '../chain/test-chain.ts'
import { makeTestDatabase, type TestDatabase } from '../database/test-database.ts'
import { makeTemporaryFolder } from '../programs/temporary-folder.ts'
import { registerSecrets } from '../secrets/secret-register.ts'
import { TestClock } from '../test-clock.ts'

/** The service as in production, but with the local demo wallet, a real database and a real chain. */
export type WholeService = Awaited<ReturnType<typeof startWholeService>>

export type WholeKeys = ReturnType<typeof makeWholeKeys>

export type WholeOptions = {
  readonly database?: TestDatabase
  readonly keys?: WholeKeys
  readonly now?: number
  readonly random?: Random
  readonly settings?: Readonly<Record<string, string>>
  readonly isOffline?: boolean
  /** Servers of merchants' images. Default: unreachable. */
  readonly images?: Outbound
  readonly between?: (db: Database) => Database
}

export function makeWholeKeys(random: Random = systemRandom) {
  const secret = () => Buffer.from(random.bytes(32)).toString('base64url')
  return {
    masterKey: secret(),
    jwtSecret: secret(),
    edgeSecret: secret(),
    metricsToken: secret(),
    operator: newWallet(random),
    platform: newWallet(random).wallet,
  }
}

/**
 * Starts a {@link WholeService} with production settings, open sign-ups and very high rate limits. The test
 * moves the clock, so each job runs once and when it is nudged. Every webhook receives 200.
 */
export async function startWholeService(options: WholeOptions = {}) {
  const [database, chain, folder] = await Promise.all([
    options.database ?? makeTestDatabase(),
    options.isOffline ? undefined : startTestChain({ blockTime: 'manual' }),
    makeTemporaryFolder('whole'),
  ])
  const { random = systemRandom } = options
  const keys = options.keys ?? makeWholeKeys(random)
  const { masterKey, jwtSecret, edgeSecret, operator } = keys
  const settings = readConfig({
    NODE_ENV: 'production',
    PORT: '0',
    BASE_URL: testBaseUrl,
    DATA_DIR: folder.path,
    DATABASE_URL: database.url,
    RPC_URLS: chain?.rpcUrl ?? 'http://127.0.0.1:9',
    CHAIN_ID: '84532',
    SLUICE_MASTER_KEY: masterKey,
    JWT_SECRET: jwtSecret,
    EDGE_SECRET: edgeSecret,
    SIGNUPS: 'open',
    OPERATOR_WALLETS: operator.wallet,
    PLATFORM_RECIPIENT: keys.platform,
    RATE_LIMIT_SCALE: '100000',
    METRICS_TOKEN: keys.metricsToken,
    ...options.settings,
  })
  // Production rejects the local chain, which stands in for a real chain here.
  const config = { ...settings, chainId: 31337, masterKey, databaseUrl: database.url }
  const { log, logged } = keepWarnings('whole')
  const clock = new TestClock(options.now ?? Date.now())
  const opened = openRuntime(config, log, chain?.contracts ?? localContracts())
  const context: Runtime = {
    ...opened,
    db: options.between?.(opened.db) ?? opened.db,
    clock,
    chain: withClock(opened.chain, { clock, log }),
    random,
    rates: new RateBook({ clock, log, sources: [fixedRates({ clock })] }),
    onramp: listProviders([makePaperProvider(() => clock.now())], undefined),
    images: options.images ?? offline,
    webhooks: answering,
    webhookTests: answering,
  }
  const audit = chain && makeLastAudit(database.pool, chain)
  const [buyer, merchant] = [localWallet(masterKey, 'buyer'), localWallet(masterKey, 'merchant')]
  registerSecrets(masterKey, jwtSecret, edgeSecret, keys.metricsToken, buyer.privateKey, merchant.privateKey)
  const sluice = await startSluice(context, config, {
    demo: {
      merchantWallet: demoMerchantPath,
      add(app) {
        const shared = { chain: context.chain, baseUrl: testBaseUrl }
        addDemoWallet(app, demoBuyerPath, { ...shared, holder: buyer })
        addDemoWallet(app, demoMerchantPath, { ...shared, holder: merchant })
      },
    },
  })
  return {
    port: sluice.port,
    app: sluice.app,
    routes: sluice.routes,
    database,
    chain,
    context,
    clock,
    logged,
    operator,
    edgeSecret,
    keys,
    /** Texts that no response may contain. */
    secrets: [
      masterKey,
      jwtSecret,
      edgeSecret,
      keys.metricsToken,
      buyer.privateKey,
      new URL(database.url).password,
      // An external PostgreSQL may have no password.
    ].filter((secret) => secret !== ''),
    endsUneven: (reason: string) => audit?.endsUneven(reason),
    async stop() {
      await whileTimePasses(clock, sluice.stop())
      await opened.close()
      try {
        await audit?.run()
      } finally {
        await Promise.all([database.drop(), chain?.stop(), folder.remove()])
      }
    },
  }
}

/** Advances the clock until the work is done, since production announces a stop seconds in advance. */
async function whileTimePasses<T>(clock: TestClock, work: Promise<T>): Promise<T> {
  let isOver = false
  const end = () => {
    isOver = true
  }
  work.then(end, end)
  while (!isOver) await clock.advance(100)
  return work
}

/** Returns a chain whose deadlines follow the test's clock. */
function withClock(chain: Chain, needs: { clock: TestClock; log: Log }): Chain {
  const time = new ChainTime(needs)
  return {
    ...chain,
    time,
    async readHead() {
      const head = await chain.readHead()
      time.note(head.latest)
      return head
    },
  }
}

const answering: Outbound = {
  request: async () => ({ kind: 'response', status: 200, headers: {}, body: new Uint8Array() }),
}
