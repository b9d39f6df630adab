import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { repositoryRoot } from '../source/list-files.ts'

/** The fields that scripts need from `data/local.json`, which a local service writes when it is ready. */
type LocalAccess = {
  readonly baseUrl: string
  readonly rpcUrl: string
  readonly subscriptionKey: string
  readonly databaseUrl: string
  readonly merchant: { readonly address: `0x${string}`; readonly privateKey: `0x${string}` }
  readonly tokens: Readonly<Record<string, string>>
}

/**
 * A local service started by a script. `stop` ends it and removes its data; `kill` sends SIGKILL and keeps
 * the data.
 */
export type StartedService = LocalAccess & {
  readonly pid: number
  readonly dataDir: string
  kill(): Promise<void>
  stop(): Promise<void>
}

const startMs = 120_000
const stopMs = 20_000

/**
 * Starts the service like `npm start`, with a temporary data folder and a free port, and waits until it
 * responds.
 *
 * @param settings - Further settings. `DATA_DIR` is the data folder of a killed service.
 * @throws if the service exits first or is not ready within two minutes. The message contains its output.
 */
export async function startService(settings: Readonly<Record<string, string>> = {}): Promise<StartedService> {
  const dataDir = settings.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'sluice-'))
  // PostgreSQL may run as another user, which needs to traverse this folder.
  chmodSync(dataDir, 0o711)
  const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'))
  const [program, ...args] = (scripts.start as string).split(' ')
  if (program !== 'node') throw new Error(`npm start runs ${program}, not Node.js itself`)
  const child = spawn(process.execPath, args, {
    cwd: repositoryRoot,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-4_000)
    })
  const stop = async () => {
    await endChild(child, 'SIGTERM')
    rmSync(dataDir, { recursive: true, force: true })
  }
  const deadline = Date.now() + startMs
  while (Date.now() < deadline && child.exitCode === null) {
    const access = readAccess(dataDir)
    if (access && (await responds(access.baseUrl)))
      return { ...access, stop, kill: () => endChild(child, 'SIGKILL'), pid: child.pid ?? 0, dataDir }
    await sleep(20)
  }
  await stop()
  throw new Error(`the service did not become ready:\n${output}`)
}

/** Runs a command of the service's command line. Returns its parsed JSON output. */
export function runCli({ dataDir }: StartedService, ...args: string[]) {
  const cli = ['apps/cli/src/main.ts', ...args, '--data', dataDir, '--json']
  return JSON.parse(
    execFileSync(process.execPath, cli, { cwd: repositoryRoot, encoding: 'utf8', stdio: 'pipe' }),
  )
}

function readAccess(dataDir: string): LocalAccess | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'local.json'), 'utf8'))
  } catch {
    return undefined
  }
}

async function responds(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(2_000) })).ok
  } catch {
    return false
  }
}

/** Sends the signal, then SIGKILL if the process does not exit in time. */
async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
  await ended
  clearTimeout(timer)
}
