import type { FastifyInstance } from 'fastify'
import { type Clock, wait } from '../../kernel/clock.ts'

/** Time for requests under way; with what follows it a stop stays below its ten seconds. */
const graceMs = 4_000
const lookEveryMs = 50

/**
 * How long a stop is announced before the port is closed: in production a proxy has to see that `/readyz` says no. In
 * development nobody wants to wait, but a client that is just using its kept connection again is still answered.
 */
export const announceMs = { production: 2_000, development: 500 }

/**
 * Takes no further connection and resolves when what was accepted is answered.
 *
 * First it is announced, for as long as `farewell` says: connections are still taken, `/readyz` says no, and who has a
 * kept connection is told with his answer that it ends. After that a connection on which nothing is under way is one
 * that its client does not use.
 *
 * A kept connection is closed as soon as nothing is under way on it: one whose answer was given during the
 * stop would otherwise hold it up for as long as its client likes. Whoever has not said what he wants by the
 * end of the grace is cut off.
 */
export async function closeHttp(
  needs: { clock: Clock },
  app: FastifyInstance,
  farewell?: { readonly drain: Drain; readonly announceMs: number },
): Promise<void> {
  const { clock } = needs
  farewell?.drain.begin()
  if (farewell && farewell.announceMs > 0) await wait(clock, farewell.announceMs)
  const over = new AbortController()
  const cutOff = clock.after(graceMs, () => app.server.closeAllConnections())
  const closing = app.close().finally(() => {
    cutOff()
    over.abort()
  })
  while (!over.signal.aborted) {
    app.server.closeIdleConnections()
    await wait(clock, lookEveryMs, over.signal)
  }
  await closing
}

/** Whether the service is on its way out. */
export type Drain = {
  readonly isStopping: boolean
  /** From now on whoever asks is told that this connection is at its end. */
  begin(): void
}

/**
 * Sees clients off: once begun, each answer carries `Connection: close`, so that a client with a kept connection takes
 * its next request elsewhere of its own accord, rather than find the connection reset under it.
 */
export function addDrain(app: FastifyInstance): Drain {
  const drain = {
    isStopping: false,
    begin() {
      drain.isStopping = true
    },
  }
  app.addHook('onRequest', (_request, reply, done) => {
    if (drain.isStopping) reply.header('connection', 'close')
    done()
  })
  return drain
}
