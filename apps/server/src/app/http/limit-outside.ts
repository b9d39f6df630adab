import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientAddress, validateSecret } from '../../access/credentials.ts'
import { addressSubject, takeLimit } from '../../access/guard/guard.ts'
import type { RateLimits } from '../../access/limits/rate-limits.ts'
import { type LimitName, limitAddress } from '../../access/rate-rules.ts'
import type { Gate } from '../../access/sessions/gate.ts'
import type { Clock } from '../../kernel/clock.ts'

export type OutsideConfig = {
  /**
   * `none`: not counted, for example because machines poll the route and must never be rejected. `own`: the
   * route counts its requests itself.
   */
  readonly limit?: 'none' | 'own' | Extract<LimitName, 'pages' | 'images' | 'probes' | 'reads'>
}

/**
 * Counts a request against one of its address's limits.
 *
 * @throws {ApiError} `rate_limited`.
 */
export type Admit = (request: FastifyRequest, reply: FastifyReply, name: LimitName) => Promise<void>

/**
 * Returns a function that finds the client address. If the edge secret is wrong, it returns the socket
 * address.
 */
export function makeAddressOf(gate: Gate): (request: FastifyRequest) => string {
  return ({ headers, ip }) => {
    const isFromEdge = validateSecret(gate.edgeSecret, headers['x-edge-secret']) === 'right'
    return limitAddress(clientAddress(headers, isFromEdge, gate, ip))
  }
}

export function makeAdmit(needs: { clock: Clock; limits: RateLimits; gate: Gate }): Admit {
  const addressOf = makeAddressOf(needs.gate)
  return async (request, reply, name) => {
    const subject = addressSubject(addressOf(request))
    const header = (name: string, value: string) => void reply.header(name, value)
    await takeLimit(needs, { name, subject }, { header, caller: () => {} })
  }
}

/** Counts requests outside the API, by default as `pages`. */
export function limitOutside(app: FastifyInstance, admit: Admit): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { url, config } = request.routeOptions
    if (url === undefined || url.startsWith('/api/')) return done()
    const { limit = 'pages' } = config as OutsideConfig
    if (limit === 'none' || limit === 'own') return done()
    admit(request, reply, limit).then(() => done(), done)
  })
}
