import { startSluice } from './app/start.ts'
import { openWorld } from './app/world.ts'
import { seedLocal } from './local/seed-local.ts'
import { startLocal } from './local/start-local.ts'
import { type Config, ConfigFault, readConfig } from './platform/config.ts'
import { type Log, makeLog } from './platform/log.ts'
import { migrate } from './platform/migrate.ts'
import { findFreePort } from './platform/process.ts'

const stopLimitMs = 9_500

/** What was started so far, newest last: it is stopped in the opposite order, also when a start fails half way. */
const started: { stop(): Promise<void> }[] = []

const config = readConfigOrExit()
const log = makeLog(config.logLevel)
stopOnSignals(log)
await start(config, log).catch(async (error: unknown) => {
  log.fatal({ err: error }, 'the start failed')
  process.stderr.write(
    `\nSluice could not start: ${error instanceof Error ? error.message : String(error)}\n`,
  )
  await stopAll()
  process.exit(1)
})

async function start(given: Config, log: Log): Promise<void> {
  const config = await withPort(given)
  const needsLocal = config.databaseUrl === undefined || config.rpcUrls.length === 0
  const local = needsLocal ? await startLocal(config, log) : undefined
  if (local) started.push(local)
  const complete = local?.config ?? {
    ...config,
    masterKey: config.masterKey ?? '',
    databaseUrl: config.databaseUrl ?? '',
  }
  await migrate({ url: complete.databaseUrl, log })
  const world = openWorld(complete, log, local?.contracts)
  started.push({ stop: () => world.close() })
  const sluice = await startSluice(world, complete)
  started.push(sluice)
  if (local?.contracts) await seedLocal({ ...world, secrets: sluice.secrets }, local)
  log.info({ port: sluice.port }, 'ready')
}

/** With PORT=0 any free port: chosen before the start, since payment URLs name it. */
async function withPort(config: Config): Promise<Config> {
  if (config.port !== 0) return config
  const port = await findFreePort()
  return { ...config, port, baseUrl: config.baseUrl.replace(/:0$/, `:${port}`) }
}

function readConfigOrExit(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error
    process.stderr.write(`${error.message}\nSee .env.example for every setting.\n`)
    process.exit(78)
  }
}

function stopOnSignals(log: Log): void {
  let isStopping = false
  const stop = async (signal: string) => {
    if (isStopping) return
    isStopping = true
    log.info({ signal }, 'stopping')
    const limit = setTimeout(() => {
      log.error('stopping took too long; ending now, what is half done is finished at the next start')
      process.exit(1)
    }, stopLimitMs)
    await stopAll()
    clearTimeout(limit)
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

async function stopAll(): Promise<void> {
  for (const each of started.splice(0).reverse()) {
    await each.stop().catch((error: unknown) => log.error({ err: error }, 'a part did not stop cleanly'))
  }
}
