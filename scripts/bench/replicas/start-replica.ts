import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../../apps/server/src/platform/process/process.ts'
import { startArguments } from '../../run/running-service.ts'
import { repositoryRoot } from '../../source/list-files.ts'

/** One more process of a service. */
export type Replica = {
  readonly url: string
  /** Ends it as kill -9 does. */
  kill(): Promise<void>
  /** Ends it in good order; one that has ended already is left so. */
  stop(): Promise<void>
}

const startMs = 120_000

/**
 * Starts a replica on a database and a chain that are there, and waits until it answers.
 *
 * @param settings - What makes it serve the same shop.
 */
export async function startReplica(settings: Readonly<Record<string, string>>): Promise<Replica> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-replica-'))
  chmodSync(dataDir, 0o711)
  const port = await findFreePort()
  const child = spawn(process.execPath, startArguments(), {
    cwd: repositoryRoot,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: dataDir,
      PORT: `${port}`,
      MALLOC_ARENA_MAX: '2',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said = (said + chunk).slice(-4_000)
    })
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
    }
    rmSync(dataDir, { recursive: true, force: true })
  }
  const url = `http://127.0.0.1:${port}`
  const deadline = Date.now() + startMs
  while (!(await doesAnswer(url))) {
    if (Date.now() > deadline || child.exitCode !== null) {
      await end('SIGKILL')
      throw new Error(`a replica did not become ready:\n${said}`)
    }
    await sleep(100)
  }
  return { url, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') }
}

async function doesAnswer(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) })).ok
  } catch {
    return false
  }
}
