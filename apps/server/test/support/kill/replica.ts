import { isFrozen } from './parts.ts'
import type { Ending, ServiceOptions } from './service.ts'
import { SupervisedService } from './supervised-service.ts'
import { openSwallowingProxy } from './swallowing-proxy.ts'

/** A fault of a replica. `cut` blocks all traffic to its database and chain. */
export type Fault = 'freeze' | 'kill' | 'cut'

/** Milliseconds after a cut during which a replica may still wait for lost responses. */
export const recoveryMs = 15_000

/** One of several services with the same database and chain, with its own proxies to both. */
export type Replica = Awaited<ReturnType<typeof startReplica>>

/**
 * Starts a replica and waits until it is ready.
 *
 * @param stopsAt - The moment (seams.ts) at which it sends itself SIGSTOP, once.
 */
export async function startReplica(
  name: string,
  options: ServiceOptions & { settings: Readonly<Record<string, string>> },
  stopsAt?: string,
) {
  const { DATABASE_URL = '', RPC_URLS = '' } = options.settings
  const [database, chain] = [await openSwallowingProxy(DATABASE_URL), await openSwallowingProxy(RPC_URLS)]
  const settings = {
    ...options.settings,
    DATABASE_URL: database.href,
    RPC_URLS: chain.href,
    ...(stopsAt && { KILL_SIGNAL: 'SIGSTOP' }),
  }
  const service = new SupervisedService({ ...options, settings }, stopsAt ? [stopsAt] : [])
  let fault: Fault | undefined
  let wellSince: number | undefined
  const heal = async () => {
    if (fault !== 'kill') process.kill(service.pid, 'SIGCONT')
    if (fault === 'cut') for (const way of [database, chain]) way.heal()
    if (fault === 'kill') await service.revive()
    wellSince = performance.now() + (fault === 'cut' ? recoveryMs : 0)
    fault = undefined
  }
  await service.untilReady()
  wellSince = performance.now()
  return {
    name,
    baseUrl: service.baseUrl,
    get pid() {
      return service.pid
    },
    get isFaulty() {
      return fault !== undefined
    },
    /** Time since which the replica has been healthy, on this process's clock. */
    get wellSince() {
      return wellSince
    },
    holderPrefix: () => `${service.pid}-`,
    isStanding: () => isFrozen(service.pid),
    /** Injects a fault. Wait for `heal` before the next fault. */
    harm(next: Fault) {
      fault = next
      wellSince = undefined
      if (next === 'freeze') process.kill(service.pid, 'SIGSTOP')
      else if (next === 'kill') service.killForGood()
      else {
        for (const way of [database, chain]) way.swallow()
        // Resumes a process that has stopped itself.
        process.kill(service.pid, 'SIGCONT')
      }
    },
    heal,
    said: () => service.said,
    async stop(): Promise<Ending> {
      await heal()
      const ending = await service.stop()
      for (const way of [database, chain]) way.close()
      return ending
    },
  }
}
