import type { FastifyInstance } from 'fastify'
import type { Drain } from '../http/drain.ts'
import type { OutsideConfig } from '../http/limit-outside.ts'
import { type FigureAccess, mayReadFigures, openHere } from './figure-access.ts'
import { hideItems, judgeReadiness, type ReadinessNeeds } from './readiness.ts'

/** The probe: answers at once whatever else is broken, so it asks nothing of the database or the chain. */
export function addHealth(app: FastifyInstance): void {
  app.get('/healthz', { config: { limit: 'none' } satisfies OutsideConfig }, async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    return { status: 'ok' }
  })
}

/**
 * GET /readyz: 200 while requests can be served, else 503; what was looked at stands in the body. Items that are set
 * aside are named to whoever may read the figures, and counted for all others: they tell of merchants.
 */
export function addReadiness(
  app: FastifyInstance,
  needs: ReadinessNeeds & { readonly drain?: Pick<Drain, 'isStopping'> },
  access: FigureAccess = openHere,
): void {
  let looking: ReturnType<typeof judgeReadiness> | undefined
  app.get('/readyz', { config: { limit: 'probes' } satisfies OutsideConfig }, async (request, reply) => {
    if (needs.drain?.isStopping) {
      reply.header('cache-control', 'no-store').code(503)
      return { status: 'not_ready', checks: { stopping: { ok: false } } }
    }
    // Those who ask meanwhile are told what the first one is.
    looking ??= judgeReadiness(needs).finally(() => {
      looking = undefined
    })
    const readiness = await looking
    reply.header('cache-control', 'no-store').code(readiness.status === 'not_ready' ? 503 : 200)
    return mayReadFigures(request, access) ? readiness : hideItems(readiness)
  })
}
