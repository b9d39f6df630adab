import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify'
import type { Route } from '../../access/route.ts'
import { type Random, randomUuid } from '../../kernel/random.ts'
import { invalidInput } from '../../kernel/refusal.ts'
import type { Log } from '../../platform/log.ts'
import { noTracer, type RequestSpan, type Tracer } from '../../platform/tracing/tracer.ts'
import { answerClientError, answerError, answerExpectation } from './answer-errors.ts'
import { limitHalfOpen } from './concurrency/half-open.ts'
import { limitConcurrency } from './concurrency/limit-concurrency.ts'
import { StoppableRequest } from './concurrency/requests-ahead.ts'
import { logRequests } from './log-requests.ts'
import { addBodyReaders } from './read-body.ts'
import { defaultBodyLimit, type ServeNeeds, serveRoute } from './serve-route.ts'

const maxHeaderBytes = 16 * 1024
const slowRequestMs = 30_000
/** Node looks for slow requests every half minute by itself: one would be ended up to a minute after it began. */
const lookForSlowMs = 1_000
/**
 * Below what a process may have open, with room for its own; some twenty kilobytes of memory each. As many may wait to be
 * taken, as far as the system lets them: of a burst the system lets the rest try again after a second, and resets some.
 */
export const maxConnections = 8_192
const sayFullEveryMs = 60_000

/** What the HTTP side leans on. */
export type HttpNeeds = ServeNeeds & {
  readonly random: Random
  readonly log: Log
  readonly tracer?: Tracer | undefined
}

/**
 * The HTTP server with the routes of the API on it, not yet listening. Pages and probes are added by their
 * own plugins, and what is answered where no route is.
 */
export function makeHttp(needs: HttpNeeds, routes: readonly Route[]): FastifyInstance {
  const common = commonHeaders(needs.gate)
  const app = fastify({
    rewriteUrl: ({ url }) => originForm(url ?? '/'),
    logger: false,
    bodyLimit: defaultBodyLimit,
    requestTimeout: slowRequestMs,
    keepAliveTimeout: 65_000,
    // What comes on an open connection during a stop is answered like any other request.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 4096, ignoreDuplicateSlashes: false, ignoreTrailingSlash: false },
    // Node's own answer to a request without Host would have no body.
    http: {
      IncomingMessage: StoppableRequest,
      maxHeaderSize: maxHeaderBytes,
      requireHostHeader: false,
      // Node exchanges the two where this one is the longer: a body would have the minute that headers have by itself.
      headersTimeout: slowRequestMs,
      connectionsCheckingInterval: lookForSlowMs,
    },
    exposeHeadRoutes: true,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, randomUuid(needs.random), common),
    frameworkErrors: (error, request, reply) => {
      // Hooks have not run yet.
      const correlationId = correlationOf(needs.random, request)
      reply.headers(common).header('x-correlation-id', correlationId).header('cache-control', 'no-store')
      answerError(needs.log, error, request, reply, correlationId)
    },
    genReqId: (request) => correlationIn(request.headers['x-correlation-id']) ?? randomUuid(needs.random),
  })
  capConnections(app, needs)
  limitConcurrency(app, needs)
  limitHalfOpen(app, needs)
  traceRequests(app, needs.tracer ?? noTracer)
  logRequests(app, needs.log)
  app.server.on('checkExpectation', (_request, response) =>
    answerExpectation(response, randomUuid(needs.random), common),
  )
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(common)
    reply.header('x-correlation-id', request.id)
    if (request.url.startsWith('/api')) reply.header('cache-control', 'no-store')
    refuseTwoPlaces(request)
    done()
  })
  app.setErrorHandler((error, request, reply) => answerError(needs.log, error, request, reply, request.id))
  app.decorateRequest('admitted')
  addBodyReaders(app)
  for (const route of routes) serveRoute(app, needs, route)
  return app
}

/** One too many is not taken; those that are kept without use make room for the next. */
function capConnections(app: FastifyInstance, { clock, log }: HttpNeeds): void {
  app.server.maxConnections = maxConnections
  let saidAt = Number.NEGATIVE_INFINITY
  app.server.on('drop', () => {
    app.server.closeIdleConnections()
    if (clock.now() - saidAt < sayFullEveryMs) return
    saidAt = clock.now()
    log.warn({ maxConnections }, 'connections are refused: the limit of open connections is reached')
  })
}

function correlationOf(random: Random, request: FastifyRequest): string {
  return typeof request.id === 'string' ? request.id : randomUuid(random)
}

function correlationIn(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(header) ? header : undefined
}

/**
 * What every answer says to browsers: take it for what it says it is, tell nobody where you came from and, where
 * the service is reached over TLS, never come without.
 */
function commonHeaders({ isSecure }: { isSecure: boolean }): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...(isSecure && { 'strict-transport-security': 'max-age=31536000' }),
  }
}

/** Makes each request a span; put on before the routes, so that their guards are a part of it. */
function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  if (!tracer.isOn) return
  const spans = new WeakMap<FastifyRequest, RequestSpan>()
  app.addHook('onRequest', (request, _reply, done) => {
    const span = tracer.request(request.headers)
    spans.set(request, span)
    span.run(done)
  })
  // Reading a body goes on in the socket's context, so the span is entered anew after it.
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

/**
 * The path and query of a request's target, also where it was sent with scheme and host before them. Under /api, a slash
 * at the end of the path says nothing.
 */
function originForm(target: string): string {
  const rest = absolute.exec(target)?.[2] ?? target
  const path = rest.split('?', 1)[0] ?? ''
  if (path.startsWith('/api/') && path.endsWith('/')) return path.slice(0, -1) + rest.slice(path.length)
  return rest.startsWith('/') || rest === target ? rest : `/${rest}`
}

/**
 * Refuses what two readers could take for requests to two places: no `Host`, two of them, or another one in the
 * target.
 *
 * @throws {Refusal} `invalid_input`
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
