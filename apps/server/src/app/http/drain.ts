import type { FastifyInstance } from 'fastify'

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
