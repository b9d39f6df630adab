import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Drain } from '../http/close-http.ts'
import type { OutsideConfig } from '../http/limit-outside.ts'
import { evaluateReadiness, hideItems, type ReadinessNeeds } from './readiness.ts'

/** Adds `GET /healthz`, which uses neither database nor chain. */
export function addHealth(app: FastifyInstance): void {
  app.get('/healthz', { config: { limit: 'none' } satisfies OutsideConfig }, async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    return { status: 'ok' }
  })
}

/**
 * Adds `GET /readyz`: 200 if the service can handle requests, else 503, with the checks.
 *
 * Only clients that may read the metrics see deferred items. Other clients get only the count, because items
 * reveal merchants.
 */
export function addReadiness(
  app: FastifyInstance,
  needs: ReadinessNeeds & { readonly drain?: Pick<Drain, 'isStopping'> },
  access: FigureAccess = openHere,
): void {
  let looking: ReturnType<typeof evaluateReadiness> | undefined
  app.get('/readyz', { config: { limit: 'probes' } satisfies OutsideConfig }, async (request, reply) => {
    if (needs.drain?.isStopping) {
      reply.header('cache-control', 'no-store').code(503)
      return { status: 'not_ready', checks: { stopping: { ok: false } } }
    }
    // Concurrent requests share one evaluation.
    looking ??= evaluateReadiness(needs).finally(() => {
      looking = undefined
    })
    const readiness = await looking
    reply.header('cache-control', 'no-store').code(readiness.status === 'not_ready' ? 503 : 200)
    return mayReadFigures(request, access) ? readiness : hideItems(readiness)
  })
}

export type FigureAccess = { readonly metricsToken: string | undefined; readonly isProduction: boolean }

export const openHere: FigureAccess = { metricsToken: undefined, isProduction: false }

export function mayReadFigures(request: FastifyRequest, access: FigureAccess): boolean {
  return access.metricsToken === undefined
    ? !access.isProduction && isFromHere(request)
    : hasToken(request, access.metricsToken)
}

/** Checks for a direct local connection, without a proxy. */
function isFromHere({ ip, headers }: FastifyRequest): boolean {
  if ('x-forwarded-for' in headers || 'forwarded' in headers) return false
  return ip === '::1' || ip.startsWith('127.') || ip.startsWith('::ffff:127.')
}

function hasToken({ headers }: FastifyRequest, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`))
}
