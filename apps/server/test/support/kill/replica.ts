import { isFrozen } from './parts.ts'
import type { Ending, ServiceOptions } from './service.ts'
import { SupervisedService } from './supervised-service.ts'
import { openSwallowingProxy } from './swallowing-proxy.ts'

/** Harm to a replica. `cut`: nothing passes between it and its database and chain. */
export type Fault = 'freeze' | 'kill' | 'cut'

/** After a cut, a replica waits so long for answers that were swallowed. Then it is well. */
export const recoveryMs = 15_000

/** One of several services on a database and a chain, with proxies of its own to both. */
export type Replica = Awaited<ReturnType<typeof startReplica>>

/**
 * Starts a replica and waits until it is ready.
 *
 * @param stopsAt - The moment (seams.ts) at which it stops itself by SIGSTOP, once.
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
    /** Harmed and not healed yet. */
    get isFaulty() {
      return fault !== undefined
    },
    /** Start of the time in which it is well, on this process's clock. */
    get wellSince() {
      return wellSince
    },
    /** Begins the holder names of its present process in leases and claims. */
    holderPrefix: () => `${service.pid}-`,
    isStanding: () => isFrozen(service.pid),
    /** Does harm. Wait for `heal` before the next harm. */
    harm(next: Fault) {
      fault = next
      wellSince = undefined
      if (next === 'freeze') process.kill(service.pid, 'SIGSTOP')
      else if (next === 'kill') service.killForGood()
      else {
        for (const way of [database, chain]) way.swallow()
        // A process that has stopped itself continues, alone.
        process.kill(service.pid, 'SIGCONT')
      }
    },
    /** Ends the harm and waits until the replica is ready again. */
    heal,
    said: () => service.said,
    /** Heals and stops the replica. */
    async stop(): Promise<Ending> {
      await heal()
      const ending = await service.stop()
      for (const way of [database, chain]) way.close()
      return ending
    },
  }
}
