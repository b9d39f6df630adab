import { isFrozen } from './parts.ts'
import type { Ending, ServiceOptions } from './service.ts'
import { SupervisedService } from './supervised-service.ts'
import { openSwallowingProxy } from './swallowing-proxy.ts'

/** Harm to a replica. `cut`: nothing passes between it and its database and chain. */
export type Fault = 'freeze' | 'kill' | 'cut'

/** One of several services on a database and a chain, with proxies of its own to both. */
export type Replica = {
  readonly name: string
  readonly baseUrl: string
  readonly pid: number
  readonly isFaulty: boolean
  /** Start of the time without harm, on this process's clock. */
  readonly wellSince: number | undefined
  /** Begins the holder names of its present process in leases and claims. */
  holderPrefix(): string
  isStanding(): boolean
  /** Does harm. Wait for `heal` before the next harm. */
  harm(fault: Fault): void
  /** Ends the harm and waits until the replica is ready again. */
  heal(): Promise<void>
  said(): string
  /** Heals and stops the replica. */
  stop(): Promise<Ending>
}

/**
 * Starts a replica and waits until it is ready.
 *
 * @param stopsAt - The moment (seams.ts) at which it stops itself by SIGSTOP, once.
 */
export async function startReplica(
  name: string,
  options: ServiceOptions & { settings: Readonly<Record<string, string>> },
  stopsAt?: string,
): Promise<Replica> {
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
    fault = undefined
    wellSince = performance.now()
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
    get wellSince() {
      return wellSince
    },
    holderPrefix: () => `${service.pid}-`,
    isStanding: () => isFrozen(service.pid),
    harm(next) {
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
    heal,
    said: () => service.said,
    async stop() {
      await heal()
      const ending = await service.stop()
      for (const way of [database, chain]) way.close()
      return ending
    },
  }
}
