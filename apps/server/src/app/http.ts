import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Caller } from '../access/caller.ts'
import { guard } from '../access/guard.ts'
import type { Route, RouteInput } from '../access/route.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Random, randomUuid } from '../kernel/random.ts'
import { invalidInput } from '../kernel/refusal.ts'
import type { Database } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import { answerClientError, answerError } from './answer-errors.ts'
import { faultOfText, readJson } from './read-json.ts'

const bodyLimit = 256 * 1024
const maxHeaderBytes = 16 * 1024
const slowRequestMs = 30_000

/** What the HTTP side leans on. */
export type HttpNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly edgeSecret: string | undefined
}

/**
 * The HTTP server with the routes of the API on it, not yet listening.
 *
 * A request is judged in one order: declared size, key, scope, content type, JSON, schema, existence
 * (decisions: Everywhere). Pages and probes are added by their own plugins.
 */
export function makeHttp(needs: HttpNeeds, routes: readonly Route[]): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit,
    requestTimeout: slowRequestMs,
    keepAliveTimeout: 65_000,
    // What comes on an open connection during a stop is answered like any other request.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 4096, ignoreDuplicateSlashes: false, ignoreTrailingSlash: false },
    http: { maxHeaderSize: maxHeaderBytes },
    exposeHeadRoutes: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      answerError(needs.log, error, request, reply, correlationOf(needs.random, request))
    },
    genReqId: (request) => correlationIn(request.headers['x-correlation-id']) ?? randomUuid(needs.random),
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-correlation-id', request.id)
    if (request.url.startsWith('/api')) reply.header('cache-control', 'no-store')
  })
  app.setErrorHandler((error, request, reply) => answerError(needs.log, error, request, reply, request.id))
  app.setNotFoundHandler(async (request, reply) => {
    const message = `There is no ${request.method} ${request.url.split('?', 1)[0]?.slice(0, 200)}`
    reply.header('cache-control', 'no-store').code(404)
    return { error: 'not_found', message }
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string) => (body === '' ? undefined : readJson(body)),
  )
  for (const route of routes) addRoute(app, needs, route)
  return app
}

function addRoute(app: FastifyInstance, needs: HttpNeeds, route: Route): void {
  if (!route.access) throw new Error(`${route.method} ${route.path} says nothing of who may call it`)
  const parse = {
    params: compile(route.params),
    query: compile(route.query),
    body: compile(route.body),
  }
  const admitted = new WeakMap<FastifyRequest, { caller: Caller; clientAddress: string }>()
  app.route({
    method: route.method,
    url: route.path.replace(/\{(\w+)\}/g, ':$1'),
    async onRequest(request) {
      refuseDeclaredSize(request)
      const forwarded = request.headers['x-forwarded-for']
      const { caller, isFromEdge } = await guard(needs, route.access, request.headers)
      const first =
        isFromEdge && typeof forwarded === 'string' ? forwarded.split(',', 1)[0]?.trim() : undefined
      admitted.set(request, { caller, clientAddress: first || request.ip })
    },
    async handler(request, reply) {
      const who = admitted.get(request)
      if (!who) throw new Error('the guard runs before every handler')
      const input = {
        ...who,
        params: parse.params(request.params),
        query: parse.query(singleValues(request.query as Record<string, unknown>)),
        body: parse.body(request.body),
        correlationId: request.id,
      } as RouteInput<never, never, never>
      const output = await route.handle(input)
      if (output.headers) reply.headers(output.headers)
      reply.code(output.status)
      return reply.send(output.body)
    },
  })
}

function refuseDeclaredSize(request: FastifyRequest): void {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > bodyLimit)
    throw invalidInput({ path: '', message: `The body is larger than ${bodyLimit} bytes` })
}

/** A parameter sent twice is refused: two readers could take two different ones. */
function singleValues(query: Record<string, unknown>): Record<string, unknown> {
  for (const [name, value] of Object.entries(query)) {
    if (typeof value !== 'string') throw invalidInput({ path: name, message: 'is sent more than once' })
    const fault = faultOfText(value)
    if (fault) throw invalidInput({ path: name, message: fault })
  }
  return query
}

function compile(schema: TSchema | undefined): (value: unknown) => unknown {
  if (!schema) return () => undefined
  const check = Compile(schema)
  return (value) => {
    if (check.Check(value)) return value
    const issues = check.Errors(value).slice(0, 20)
    throw invalidInput(
      ...issues.map((issue) => ({ path: issue.instancePath.replace(/^\//, ''), message: issue.message })),
    )
  }
}

function correlationOf(random: Random, request: FastifyRequest): string {
  return typeof request.id === 'string' ? request.id : randomUuid(random)
}

function correlationIn(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(header) ? header : undefined
}
