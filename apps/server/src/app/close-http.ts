import type { FastifyInstance } from 'fastify'
import { type Clock, wait } from '../kernel/clock.ts'

/** Time for requests under way; with what follows it a stop stays below its ten seconds. */
const graceMs = 4_000
const lookEveryMs = 50

/**
 * Takes no further connection and resolves when what was accepted is answered.
 *
 * A kept connection is closed as soon as nothing is under way on it: one whose answer was given during the
 * stop would otherwise hold it up for as long as its client likes. Whoever has not said what he wants by the
 * end of the grace is cut off.
 */
export async function closeHttp(needs: { clock: Clock }, app: FastifyInstance): Promise<void> {
  const { clock } = needs
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
