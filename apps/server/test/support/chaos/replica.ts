import { isFrozen } from '../degraded/frozen.ts'
import { type Ending, SupervisedService } from '../kill/service.ts'
import { openSwallowingProxy } from './swallowing-proxy.ts'

/** What happens to a replica. */
export type Fault = 'freeze' | 'kill' | 'cut'

/** One of several service processes on a database and a chain, with ways of its own to both. */
export type Replica = {
  readonly name: string
  readonly baseUrl: string
  /** Names of its present process in leases and claims begin with this. */
  holderPrefix(): string
  readonly isFaulty: boolean
  /** Since when nothing is done to it, by the time of this process. */
  readonly wellSince: number | undefined
  readonly pid: number
  /** Whether its process stands still. */
  isStanding(): boolean
  /** Does it harm; a replica that is harmed is left alone until `heal` has ended. */
  harm(fault: Fault): void
  /** Takes the harm away, and waits until the replica is ready again. */
  heal(): Promise<void>
  said(): string
  /** Ends it as Ctrl-C would, healed before. */
  stop(): Promise<Ending>
}

/**
 * Starts one, ready.
 *
 * @param stopsAt - The moment (kill/seams.ts) at which it stops itself by SIGSTOP, once: then it may be harmed.
 */
export async function startReplica(
  name: string,
  options: {
    dataDir: string
    port: number
    settings: Readonly<Record<string, string>>
    /** Its supervisor starts it anew also where it ends by itself with an error. */
    isRestarted?: boolean
  },
  stopsAt?: string,
): Promise<Replica> {
  const { DATABASE_URL = '', RPC_URLS = '' } = options.settings
  const ways = [await openSwallowingProxy(DATABASE_URL), await openSwallowingProxy(RPC_URLS)] as const
  const settings = { ...options.settings, DATABASE_URL: ways[0].href, RPC_URLS: ways[1].href }
  const service = new SupervisedService(
    { ...options, settings: stopsAt ? { ...settings, KILL_SIGNAL: 'SIGSTOP' } : settings },
    stopsAt ? [stopsAt] : [],
  )
  let fault: Fault | undefined
  let wellSince: number | undefined
  const heal = async () => {
    if (fault !== 'kill') process.kill(service.pid, 'SIGCONT')
    if (fault === 'cut') for (const way of ways) way.heal()
    if (fault === 'kill') await service.revive()
    fault = undefined
    wellSince = performance.now()
  }
  await service.untilReady()
  wellSince = performance.now()
  return {
    name,
    baseUrl: service.baseUrl,
    holderPrefix: () => `${service.pid}-`,
    isStanding: () => isFrozen(service.pid),
    get isFaulty() {
      return fault !== undefined
    },
    get wellSince() {
      return wellSince
    },
    get pid() {
      return service.pid
    },
    harm(next) {
      fault = next
      wellSince = undefined
      if (next === 'freeze') process.kill(service.pid, 'SIGSTOP')
      else if (next === 'kill') service.killForGood()
      else {
        for (const way of ways) way.swallow()
        // One that has stopped itself goes on, alone.
        process.kill(service.pid, 'SIGCONT')
      }
    },
    heal,
    said: () => service.said,
    async stop() {
      await heal()
      const ending = await service.stop()
      for (const way of ways) way.close()
      return ending
    },
  }
}
