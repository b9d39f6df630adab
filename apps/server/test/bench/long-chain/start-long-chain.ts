import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { EndpointOrders, EndpointState } from './endpoint.ts'

/** An endpoint, in a process of its own, of a chain that is made by arithmetic on top of another. */
export type LongChainEndpoint = {
  /** The endpoint that gives all that the chain at `behind` does until it is told to begin, and what it made itself then. */
  urlBefore(behind: string): string
  tell<Name extends keyof EndpointOrders>(order: Name, what: EndpointOrders[Name]): Promise<EndpointState>
  stop(): Promise<void>
}

/** Starts it and waits until it listens. */
export async function startLongChain(): Promise<LongChainEndpoint> {
  const child = fork(fileURLToPath(new URL('./endpoint.ts', import.meta.url)), { execArgv: [] })
  const [port] = (await once(child, 'message')) as [number]
  const url = `http://127.0.0.1:${port}/`
  return {
    urlBefore: (behind) => `${url}?behind=${encodeURIComponent(behind)}`,
    async tell(order, what) {
      const answer = await fetch(url + order, { method: 'POST', body: JSON.stringify(what) })
      return (await answer.json()) as EndpointState
    },
    async stop() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}
