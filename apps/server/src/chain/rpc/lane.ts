import type { Clock } from '../../kernel/clock.ts'
import { EndpointUnavailable } from './rpc.ts'

/** Runs work when its turn has come. */
export type Lane = <T>(work: () => Promise<T>) => Promise<T>

/** As many sockets as outbound HTTP opens to one host: a request that is let in is sent at once. */
const requestsAtOnce = 4

/** Longer than a whole round of slow answers; whoever waits longer comes again by itself. */
const patienceMs = 30_000
const longestQueue = 1_000

/**
 * A queue before one endpoint. Work begins when a socket is free for it, so that the time a request may take is
 * counted from when it is sent, and a burst of them does not fail for having waited.
 */
export function openLane(clock: Clock): Lane {
  let free = requestsAtOnce
  const waiting = new Set<() => void>()

  function waitForTurn(): Promise<void> {
    if (waiting.size >= longestQueue)
      throw new EndpointUnavailable('unreachable', 'too many requests are waiting for the endpoint')
    return new Promise((resolve, reject) => {
      const cancel = clock.after(patienceMs, () => {
        waiting.delete(enter)
        reject(new EndpointUnavailable('unreachable', 'the endpoint has been busy for too long'))
      })
      const enter = () => {
        cancel()
        resolve()
      }
      waiting.add(enter)
    })
  }

  return async (work) => {
    if (free > 0) free -= 1
    else await waitForTurn()
    try {
      return await work()
    } finally {
      const [next] = waiting
      if (next) {
        waiting.delete(next)
        next()
      } else free += 1
    }
  }
}
