import type { FastifyInstance } from 'fastify'
import { type Clock, wait } from '../../kernel/clock.ts'

/** Milliseconds for active requests to finish. The complete stop takes less than ten seconds. */
const graceMs = 4_000
const lookEveryMs = 50

/**
 * Milliseconds between the announcement of a stop and the closing of the port.
 *
 * In production, it gives proxies time to see `/readyz` fail. In development, it only needs to cover requests
 * on open connections.
 */
export const announceMs = { production: 2_000, development: 500 }

/**
 * Stops accepting connections and resolves when all accepted requests are answered.
 *
 * Announces the stop first: `/readyz` fails and responses carry `Connection: close`. Then closes idle
 * connections continuously, and after the grace period the remaining ones.
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

export type Drain = {
  readonly isStopping: boolean
  begin(): void
}

/**
 * Adds `Connection: close` to responses once the drain has begun, so that clients reconnect elsewhere without
 * a reset.
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
