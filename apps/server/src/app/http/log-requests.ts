import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { KnownCaller } from '../../access/caller.ts'
import { type Log, withKnownFields } from '../../platform/log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    knownCaller: KnownCaller | undefined
    knownAddress: string
  }
}

/** Logged at debug level only, because machines poll these paths. */
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/** Logs one line per response. Logs the route, not the path, so that it contains no client input. */
export function logRequests(app: FastifyInstance, log: Log): void {
  const lines = withKnownFields(log)
  app.decorateRequest('knownCaller')
  app.decorateRequest('knownAddress', '')
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    const level = probes.has(route) ? 'debug' : 'info'
    if (!lines.isLevelEnabled(level)) return done()
    const { statusCode: status } = reply
    const ms = Math.round(reply.elapsedTime * 10) / 10
    lines[level](
      { method: request.method, route, status, ms, correlationId: request.id, ...nameOf(request) },
      'request',
    )
    done()
  })
}

function nameOf({ knownCaller }: FastifyRequest): Record<string, string | undefined> {
  if (knownCaller?.kind === 'subscription') return { subscription: knownCaller.subscriptionId }
  return knownCaller ? { wallet: knownCaller.wallet } : {}
}
