import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { BareAnswer } from './bare-server.ts'

/** A server that stands where the service does, without a database or anything to find out. */
export type BareServer = {
  readonly url: string
  /** What it answers from now on. */
  answerWith(answer: BareAnswer): Promise<void>
  stop(): Promise<void>
}

/** Starts it and waits until it listens. */
export async function startBareServer(): Promise<BareServer> {
  const child = fork(fileURLToPath(new URL('./bare-server.ts', import.meta.url)))
  const [port] = (await once(child, 'message')) as [number]
  return {
    url: `http://127.0.0.1:${port}`,
    async answerWith(answer) {
      const taken = once(child, 'message')
      child.send(answer)
      await taken
    },
    async stop() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}
