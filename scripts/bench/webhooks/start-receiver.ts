import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Arrivals, ReceiverOrder } from './receiver.ts'

/** All receivers, in one process of their own. */
export type Receiver = {
  readonly port: number
  forget(): Promise<void>
  count(): Promise<Arrivals>
  /** How long after the `timestamp` in its body each webhook came first, in milliseconds. */
  lateness(): Promise<readonly number[]>
  stop(): Promise<void>
}

/** Starts it and waits until it listens. */
export async function startReceiver(): Promise<Receiver> {
  const child = fork(fileURLToPath(new URL('./receiver.ts', import.meta.url)))
  const ask = async <T>(order: ReceiverOrder): Promise<T> => {
    const answer = once(child, 'message')
    child.send(order)
    return (await answer)[0] as T
  }
  const [port] = (await once(child, 'message')) as [number]
  return {
    port,
    forget: () => ask('forget'),
    count: () => ask('count'),
    lateness: () => ask('lateness'),
    async stop() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}
