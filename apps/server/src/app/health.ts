import type { FastifyInstance } from 'fastify'

/** The probe: answers at once whatever else is broken, so it asks nothing of the database or the chain. */
export function addHealth(app: FastifyInstance): void {
  app.get('/healthz', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    return { status: 'ok' }
  })
}
