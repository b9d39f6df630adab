import type { FastifyInstance } from 'fastify'
import { judgeReadiness, type ReadinessNeeds } from './readiness.ts'

/** The probe: answers at once whatever else is broken, so it asks nothing of the database or the chain. */
export function addHealth(app: FastifyInstance): void {
  app.get('/healthz', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    return { status: 'ok' }
  })
}

/** GET /readyz: 200 while requests can be served, else 503; what was looked at stands in the body. */
export function addReadiness(app: FastifyInstance, needs: ReadinessNeeds): void {
  app.get('/readyz', async (_request, reply) => {
    const readiness = await judgeReadiness(needs)
    reply.header('cache-control', 'no-store').code(readiness.status === 'not_ready' ? 503 : 200)
    return readiness
  })
}
