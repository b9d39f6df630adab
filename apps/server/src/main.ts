import { existsSync } from 'node:fs'
import { systemClock } from './kernel/clock.ts'
import { type Config, ConfigFault, readConfig } from './platform/config.ts'
import { makeLog } from './platform/log.ts'
import { runSluice } from './run.ts'

const stopLimitMs = 9_500
const configExitCode = 78

/** What was started so far, newest last: stopped in the opposite order, also when a start fails half way. */
const started: { stop(): Promise<void> }[] = []
let isStopping = false

if (existsSync('.env')) process.loadEnvFile('.env')
const config = readConfigOrExit()
const log = makeLog(config.logLevel)
process.on('SIGTERM', stopOnSignal)
process.on('SIGINT', stopOnSignal)
await runSluice(config, log, (part) => started.push(part)).catch(async (error: unknown) => {
  if (isStopping) return
  log.fatal({ err: error }, 'the start failed')
  process.stderr.write(`\nSluice could not start: ${explain(error)}\n`)
  await stopAll()
  process.exit(1)
})

function readConfigOrExit(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error
    process.stderr.write(`${error.message}\nSee .env.example for every setting.\n`)
    process.exit(configExitCode)
  }
}

function explain(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }
  if (code === 'EADDRINUSE') return `port ${config.port} is in use; stop what listens there or set PORT`
  if (code === 'EACCES') return `this user may not listen on port ${config.port}; set PORT to one above 1023`
  return message ?? String(error)
}

async function stopOnSignal(signal: NodeJS.Signals): Promise<void> {
  if (isStopping) return
  isStopping = true
  log.info({ signal }, 'stopping')
  systemClock.after(stopLimitMs, () => {
    log.error('stopping took too long; ending now, what is half done is finished at the next start')
    process.exit(1)
  })
  await stopAll()
  process.exit(0)
}

async function stopAll(): Promise<void> {
  for (const part of started.splice(0).reverse()) {
    await part.stop().catch((error: unknown) => log.error({ err: error }, 'a part did not stop cleanly'))
  }
}
