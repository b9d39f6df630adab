import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../../apps/server/src/platform/process/process.ts'
import { doesAnswer, endChild, spawnService } from '../../run/running-service.ts'

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
  const port = await findFreePort()
  const { child, dataDir, output } = spawnService({ PORT: `${port}`, ...settings })
  const end = async (signal: NodeJS.Signals) => {
    await endChild(child, signal)
    rmSync(dataDir, { recursive: true, force: true })
  }
  const url = `http://127.0.0.1:${port}`
  const deadline = Date.now() + startMs
  while (!(await doesAnswer(url))) {
    if (Date.now() > deadline || child.exitCode !== null) {
      await end('SIGKILL')
      throw new Error(`a replica did not become ready:\n${output()}`)
    }
    await sleep(100)
  }
  return { url, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') }
}
