import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Clock, wait } from '../../kernel/clock.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { readConfig } from '../../platform/settings/config.ts'
import type { LocalJson } from '../local-settings.ts'

const mainFile = fileURLToPath(new URL('../../main.mjs', import.meta.url))
const startLimitMs = 90_000

export type Environment = Readonly<Record<string, string | undefined>>

export type FoundService = { readonly local: LocalJson; stop(): Promise<void> }

/** Returns the local service of `dataDir`, or starts one in a temporary directory. */
export async function findService(
  needs: { clock: Clock; outbound: Outbound; env: Environment },
  dataDir: string | undefined,
): Promise<FoundService> {
  const running = await findRunning(needs, dataDir)
  if (running) {
    process.stdout.write(`Running against the service at ${running.baseUrl}\n\n`)
    return { local: running, stop: async () => {} }
  }
  return startService(needs)
}

/** Returns the running local service of `dataDir`, by default `DATA_DIR`. */
export async function findRunning(
  needs: { outbound: Outbound; env: Environment },
  dataDir: string | undefined,
): Promise<LocalJson | undefined> {
  const found = await readLocal(resolve(dataDir ?? readConfig(needs.env).dataDir))
  return found && (await isAlive(needs.outbound, found)) ? found : undefined
}

async function startService(needs: {
  clock: Clock
  outbound: Outbound
  env: Environment
}): Promise<FoundService> {
  process.stdout.write('No service is running: starting one for the demo\n\n')
  const folder = await mkdtemp(join(tmpdir(), 'sluice-demo-'))
  // PostgreSQL may run as another user, which must be able to traverse the folder.
  await chmod(folder, 0o711)
  const child = spawn(process.execPath, [mainFile], {
    env: { ...needs.env, DATA_DIR: folder, PORT: '0', BASE_URL: '', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<void>((resolveEnded) => child.once('exit', () => resolveEnded()))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  const giveUpAt = needs.clock.now() + startLimitMs
  while (needs.clock.now() < giveUpAt && child.exitCode === null) {
    const local = await readLocal(folder)
    if (local && (await isAlive(needs.outbound, local))) return { local, stop }
    await wait(needs.clock, 200)
  }
  await stop()
  throw new Error('the service did not become ready')
}

async function readLocal(folder: string): Promise<LocalJson | undefined> {
  const text = await readFile(join(folder, 'local.json'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as LocalJson)
}

async function isAlive(outbound: Outbound, local: LocalJson): Promise<boolean> {
  const outcome = await outbound.request({
    method: 'GET',
    url: `${local.baseUrl}/healthz`,
    timeoutMs: 2_000,
    maxResponseBytes: 10_000,
  })
  return outcome.kind === 'response' && outcome.status === 200
}
