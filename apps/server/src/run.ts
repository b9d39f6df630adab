import type { FastifyInstance } from 'fastify'
import { type RunningSluice, startSluice } from './app/start.ts'
import { version } from './app/version.ts'
import { type CompleteConfig, openWorld, type World } from './app/world.ts'
import { addDemoWallet } from './local/demo-wallet.ts'
import { type LocalContracts, localContracts } from './local/deploy-contracts.ts'
import { localWallet } from './local/master-key.ts'
import { seedLocal } from './local/seed-local.ts'
import { startLocal } from './local/start-local.ts'
import { checkDurability } from './platform/check-durability.ts'
import type { Config } from './platform/config.ts'
import type { Log } from './platform/log.ts'
import { migrate } from './platform/migrate.ts'
import { openTracer } from './platform/open-tracer.ts'
import { findFreePort } from './platform/process.ts'
import type { Tracer } from './platform/tracer.ts'

const localChainId = 31337

/** Makes the world the service works in; a test gives one with faults in it. */
export type OpenWorld = (
  config: CompleteConfig,
  log: Log,
  contracts: LocalContracts | undefined,
  tracer: Tracer,
) => World

/**
 * Starts the whole product: what the settings leave out, the database's schema, the service, the local shop.
 *
 * @param keep - Told of each part once it has started, so that a start that fails or is interrupted half way
 * can be undone: newest first.
 */
export async function runSluice(
  given: Config,
  log: Log,
  keep: (part: { stop(): Promise<void> }) => void,
  open: OpenWorld = openWorld,
): Promise<RunningSluice> {
  const config = await withPort(given)
  const needsLocal = config.databaseUrl === undefined || config.rpcUrls.length === 0
  const starting = needsLocal ? startLocal(config, log) : undefined
  keep({ stop: async () => (await starting?.catch(() => undefined))?.stop() })
  const local = await starting
  const complete = local?.config ?? asComplete(config)
  await migrate({ url: complete.databaseUrl, log })
  const tracer = await openTracer(complete, version)
  const world = open(complete, log, local?.contracts ?? contractsOfOther(complete), tracer)
  keep({ stop: () => world.close() })
  if (config.isProduction) await checkDurability(world.db)
  const buyer = localWallet(complete.masterKey, 'buyer')
  const addDemo = (app: FastifyInstance) =>
    addDemoWallet(app, { chain: world.chain, buyer, baseUrl: complete.baseUrl })
  const sluice = await startSluice(world, complete, local?.contracts && addDemo)
  keep(sluice)
  if (local?.contracts && !['127.0.0.1', '::1', 'localhost'].includes(config.host))
    log.warn(
      { host: config.host },
      "whoever reaches this local service can spend the demo buyer's play money",
    )
  if (local?.contracts) await seedLocal({ ...world, secrets: sluice.secrets }, local)
  log.info({ port: sluice.port }, 'ready')
  return sluice
}

/** With PORT=0 any free port: chosen before the start, since payment URLs name it. */
async function withPort(config: Config): Promise<Config> {
  if (config.port !== 0) return config
  const port = await findFreePort()
  return { ...config, port, baseUrl: config.baseUrl.replace(/:0$/, `:${port}`) }
}

/** A configuration that needs nothing local names its database and its master key. */
function asComplete(config: Config): CompleteConfig {
  const { masterKey, databaseUrl } = config
  if (!masterKey)
    throw new Error('SLUICE_MASTER_KEY is needed with DATABASE_URL: it seals what the database holds')
  if (!databaseUrl) throw new Error('DATABASE_URL is needed')
  return { ...config, masterKey, databaseUrl }
}

/** Another service's local chain, reached by RPC_URLS, has its contracts where every local chain has them. */
function contractsOfOther(config: Config): LocalContracts | undefined {
  return config.chainId === localChainId ? localContracts() : undefined
}
