import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { repositoryRoot } from '../source/list-files.ts'

/** What a script needs of `data/local.json`, which a local service writes when it is ready. */
export type LocalAccess = {
  readonly baseUrl: string
  readonly rpcUrl: string
  readonly subscriptionKey: string
  readonly databaseUrl: string
  readonly merchant: { readonly address: `0x${string}`; readonly privateKey: `0x${string}` }
  readonly tokens: Readonly<Record<string, string>>
}

/** A local service that we started: `stop` ends it and removes its data. */
export type StartedService = LocalAccess & {
  readonly pid: number
  readonly dataDir: string
  stop(): Promise<void>
}

const startMs = 120_000
const stopMs = 20_000

/**
 * Starts the service with no settings but a temporary data folder and a free port, and waits
 * until it answers.
 *
 * @param settings - Further settings.
 * @throws when it ends first, or is not ready within two minutes; what it wrote is in the message.
 */
export async function startService(settings: Readonly<Record<string, string>> = {}): Promise<StartedService> {
  const { child, dataDir, output } = spawnService({ PORT: '0', ...settings })
  const stop = async () => {
    await endChild(child, 'SIGTERM')
    rmSync(dataDir, { recursive: true, force: true })
  }
  const deadline = Date.now() + startMs
  while (Date.now() < deadline && child.exitCode === null) {
    const access = readAccess(dataDir)
    if (access && (await doesAnswer(access.baseUrl))) return { ...access, stop, pid: child.pid ?? 0, dataDir }
    await sleep(100)
  }
  await stop()
  throw new Error(`the service did not become ready:\n${output()}`)
}

/** Begins a process of the service as `npm start` does, with a temporary data folder; whoever does so removes both. */
export function spawnService(settings: Readonly<Record<string, string>>) {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-'))
  // PostgreSQL may run as another user and has to pass through.
  chmodSync(dataDir, 0o711)
  const child = spawn(process.execPath, startArguments(), {
    cwd: repositoryRoot,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said = (said + chunk).slice(-4_000)
    })
  return { child, dataDir, output: () => said }
}

/** What `npm start` hands to Node.js: what is measured is what is run. */
export function startArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'))
  const [program, ...args] = (scripts.start as string).split(' ')
  if (program !== 'node') throw new Error(`npm start runs ${program}, not Node.js itself`)
  return args
}

function readAccess(dataDir: string): LocalAccess | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'local.json'), 'utf8'))
  } catch {
    return undefined
  }
}

export async function doesAnswer(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(2_000) })).ok
  } catch {
    return false
  }
}

/** Sends the signal, then SIGKILL to one that does not end in time. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
  await ended
  clearTimeout(timer)
}
