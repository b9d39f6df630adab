import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify'
import type { Route } from '../../access/route.ts'
import { invalidInput } from '../../kernel/api-error.ts'
import { type Random, randomUuid } from '../../kernel/random.ts'
import type { Log } from '../../platform/log.ts'
import { noTracer, type RequestSpan, type Tracer } from '../../platform/tracing/tracer.ts'
import { limitHalfOpen } from './concurrency/half-open.ts'
import { limitConcurrency } from './concurrency/limit-concurrency.ts'
import { StoppableRequest } from './concurrency/requests-ahead.ts'
import { logRequests } from './log-requests.ts'
import { addBodyReaders } from './read-body.ts'
import { sendClientError, sendError, sendExpectation } from './send-errors.ts'
import { defaultBodyLimit, type ServeNeeds, serveRoute } from './serve-route.ts'

const maxHeaderBytes = 16 * 1024
const slowRequestMs = 30_000
/** Node's default of 30 seconds would let a slow request last up to a minute. */
const lookForSlowMs = 1_000
/**
 * Below the limit of open files; each connection takes about 20 KB.
 *
 * The same number may wait in the listen backlog.
 */
export const maxConnections = 8_192
const sayFullEveryMs = 60_000

export type HttpNeeds = ServeNeeds & {
  readonly random: Random
  readonly log: Log
  readonly tracer?: Tracer | undefined
}

/** Creates the HTTP server with the API routes, not yet listening. Plugins add pages and probes. */
export function makeHttp(needs: HttpNeeds, routes: readonly Route[]): FastifyInstance {
  const common = commonHeaders(needs.gate)
  const app = fastify({
    rewriteUrl: ({ url }) => originForm(url ?? '/'),
    logger: false,
    bodyLimit: defaultBodyLimit,
    requestTimeout: slowRequestMs,
    keepAliveTimeout: 65_000,
    // Requests on open connections during a stop are answered normally.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 4096, ignoreDuplicateSlashes: false, ignoreTrailingSlash: false },
    // A missing Host header is rejected later, because Node's own response has no body.
    http: {
      IncomingMessage: StoppableRequest,
      maxHeaderSize: maxHeaderBytes,
      requireHostHeader: false,
      // Node swaps the two timeouts if this one is longer: a body would then get the default of one minute.
      headersTimeout: slowRequestMs,
      connectionsCheckingInterval: lookForSlowMs,
    },
    exposeHeadRoutes: true,
    clientErrorHandler: (error, socket) => sendClientError(error, socket, randomUuid(needs.random), common),
    frameworkErrors: (error, request, reply) => {
      const correlationId = correlationOf(needs.random, request)
      reply.headers(common).header('x-correlation-id', correlationId).header('cache-control', 'no-store')
      sendError(needs.log, error, request, reply, correlationId)
    },
    genReqId: (request) => correlationIn(request.headers['x-correlation-id']) ?? randomUuid(needs.random),
  })
  capConnections(app, needs)
  limitConcurrency(app, needs)
  limitHalfOpen(app, needs)
  traceRequests(app, needs.tracer ?? noTracer)
  logRequests(app, needs.log)
  app.server.on('checkExpectation', (_request, response) =>
    sendExpectation(response, randomUuid(needs.random), common),
  )
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(common)
    reply.header('x-correlation-id', request.id)
    if (request.url.startsWith('/api')) reply.header('cache-control', 'no-store')
    refuseTwoPlaces(request)
    done()
  })
  app.setErrorHandler((error, request, reply) => sendError(needs.log, error, request, reply, request.id))
  app.decorateRequest('admitted')
  addBodyReaders(app)
  for (const route of routes) serveRoute(app, needs, route)
  return app
}

/** Drops connections above the limit, and closes idle ones to make room. */
function capConnections(app: FastifyInstance, { clock, log }: HttpNeeds): void {
  app.server.maxConnections = maxConnections
  let saidAt = Number.NEGATIVE_INFINITY
  app.server.on('drop', () => {
    app.server.closeIdleConnections()
    if (clock.now() - saidAt < sayFullEveryMs) return
    saidAt = clock.now()
    log.warn({ maxConnections }, 'connections are rejected: the limit of open connections is reached')
  })
}

function correlationOf(random: Random, request: FastifyRequest): string {
  return typeof request.id === 'string' ? request.id : randomUuid(random)
}

function correlationIn(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(header) ? header : undefined
}

function commonHeaders({ isSecure }: { isSecure: boolean }): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...(isSecure && { 'strict-transport-security': 'max-age=31536000' }),
  }
}

/** Starts a span per request. Call it before the routes are added, so that the span includes their guards. */
function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  if (!tracer.isOn) return
  const spans = new WeakMap<FastifyRequest, RequestSpan>()
  app.addHook('onRequest', (request, _reply, done) => {
    const span = tracer.request(request.headers)
    spans.set(request, span)
    span.run(done)
  })
  // Body parsing continues in the socket's context, so the span is entered again.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request)
    if (span) span.run(done)
    else done()
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    spans.get(request)?.end({
      name: `${request.method} ${route}`,
      status: reply.statusCode,
      'http.request.method': request.method,
      'http.route': route,
      'sluice.correlation_id': request.id,
    })
  })
}

const absolute = /^https?:\/\/([^/?#]*)(.*)$/i

/** Returns path and query of a request target, which may be absolute. Ignores a trailing slash under /api. */
function originForm(target: string): string {
  const rest = absolute.exec(target)?.[2] ?? target
  const path = rest.split('?', 1)[0] ?? ''
  if (path.startsWith('/api/') && path.endsWith('/')) return path.slice(0, -1) + rest.slice(path.length)
  return rest.startsWith('/') || rest === target ? rest : `/${rest}`
}

/**
 * Rejects a request whose target is ambiguous: no `Host` header, two of them, or a different host in the
 * target.
 *
 * @throws {ApiError} `invalid_input`.
 */
function refuseTwoPlaces({ raw, originalUrl, headers: { host } }: FastifyRequest): void {
  if (host === undefined && raw.httpVersion === '1.1') throw refused('The Host header is missing')
  let hostCount = 0
  for (let i = 0; i < raw.rawHeaders.length; i += 2)
    if (raw.rawHeaders[i]?.toLowerCase() === 'host') hostCount++
  if (hostCount > 1) throw refused('The Host header was sent more than once')
  const inTarget = absolute.exec(originalUrl)?.[1]
  if (inTarget !== undefined && inTarget.toLowerCase() !== host?.toLowerCase())
    throw refused('The request target names a different host than the Host header')
}

function refused(message: string) {
  return invalidInput({ path: '', message })
}
