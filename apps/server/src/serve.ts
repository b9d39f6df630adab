import { existsSync } from 'node:fs'
import { systemClock } from './kernel/clock.ts'
import type { Log } from './platform/log.ts'
import { prepareDataFolder } from './platform/process/data-folder.ts'
import { openServiceLog } from './platform/service-log.ts'
import { type Config, ConfigError, readConfig } from './platform/settings/config.ts'
import { runSluice } from './run.ts'

const stopLimitMs = 9_500
const configExitCode = 78

type Part = { stop(): Promise<void> }

/**
 * Runs the service until `stop` is aborted, then ends the process. The exit code is 0 after a stop, however
 * early; 78 if the settings are invalid; 1 if startup fails or the stop takes too long.
 */
export async function serve(env: NodeJS.ProcessEnv, stop: AbortSignal): Promise<never> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const config = readConfigOrExit(env)
  try {
    prepareDataFolder(config.dataDir)
  } catch (error) {
    process.stderr.write(`\nSluice could not start: ${explain(error, config)}\n`)
    process.exit(1)
  }
  const { log, path: logPath } = openServiceLog(config, process.stdout)
  if (logPath !== undefined)
    process.stdout.write('\n  Starting Sluice… The first start takes about ten seconds.\n')
  const isOver = new Promise<void>((resolve) => {
    const begin = () => {
      log.info({ signal: (stop.reason as Error).message }, 'stopping')
      systemClock.after(stopLimitMs, () => {
        log.error('stopping took too long; exiting now; the next start completes unfinished work')
        process.exit(1)
      })
      resolve()
    }
    if (stop.aborted) begin()
    else stop.addEventListener('abort', begin, { once: true })
  })
  /** Started parts, newest last. They stop in reverse order, even if a start fails. */
  const started: Part[] = []
  try {
    const { baseUrl, buildDashboard } = await runSluice(config, log, {
      keep: (part) => started.push(part),
      stop,
    })
    buildDashboard().catch((error: unknown) => log.error({ err: error }, 'the web app was not built'))
    if (logPath !== undefined) process.stdout.write(readyText(baseUrl, logPath))
  } catch (error) {
    if (!stop.aborted) {
      if (error instanceof ConfigError) {
        await stopAll(log, started)
        exitForSettings(error)
      }
      log.fatal({ err: error }, 'startup failed')
      process.stderr.write(`\nSluice could not start: ${explain(error, config)}\n`)
      await stopAll(log, started)
      process.exit(1)
    }
  }
  await isOver
  await stopAll(log, started)
  process.exit(0)
}

function readConfigOrExit(env: NodeJS.ProcessEnv): Config {
  try {
    return readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return exitForSettings(error)
  }
}

/** Returns the last lines printed at a terminal. A local service has already printed further lines. */
function readyText(baseUrl: string, logPath: string): string {
  return `  Sluice runs at ${baseUrl}; its log is ${logPath}. Press Ctrl-C to stop.\n\n`
}

function exitForSettings(reason: ConfigError): never {
  process.stderr.write(`${reason.message}\nSee .env.example for every setting.\n`)
  process.exit(configExitCode)
}

function explain(error: unknown, config: Config): string {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return `port ${config.port} is in use; stop the program that listens there, or set PORT`
  if (code === 'EACCES' && syscall === 'listen')
    return `this user is not allowed to listen on port ${config.port}; set PORT to a number above 1023`
  return message ?? String(error)
}

async function stopAll(log: Log, started: Part[]): Promise<void> {
  for (const part of started.splice(0).reverse()) {
    await part.stop().catch((error: unknown) => log.error({ err: error }, 'a component did not stop cleanly'))
  }
}
