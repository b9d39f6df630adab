import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { KnownCaller } from '../../access/caller.ts'
import { type Log, withKnownFields } from '../../platform/log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks, once that is known. */
    knownCaller: KnownCaller | undefined
    /** Where that request came from, as far as it can be trusted. */
    knownAddress: string
  }
}

/** What machines ask all the time: worth a line only to those who look for it. */
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/**
 * A line for each request that was answered: method, route, status, milliseconds, correlation id and who asked. Routes, never
 * paths, so that a line holds nothing a caller typed.
 */
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
