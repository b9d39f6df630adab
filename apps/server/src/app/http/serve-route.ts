import type { Readable } from 'node:stream'
import { errorStatus } from '@sluice/protocol/errors.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { RequestLog } from '../../access/audit/request-log.ts'
import type { Caller } from '../../access/caller.ts'
import { takeCredentials } from '../../access/credentials.ts'
import {
  addressSubject,
  type GuardNeeds,
  type GuardReport,
  guard,
  takeLimit,
} from '../../access/guard/guard.ts'
import { hashRequest, parseIdempotencyKey, respondOnce } from '../../access/idempotency/idempotency.ts'
import { type LimitName, limitAddress } from '../../access/rate-rules.ts'
import type { KeyedRequest, PlainResponse, Route, RouteInput, RouteOutput } from '../../access/route.ts'
import { invalidInput } from '../../kernel/api-error.ts'
import { issuesOf } from '../../kernel/text/schema-issues.ts'
import type { JoiningDatabase } from '../../platform/database/joining/joining-database.ts'
import type { Log } from '../../platform/log.ts'
import { type FieldWarning, findUnknownFields, maxWarnings } from './find-unknown-fields.ts'
import {
  type BodyConfig,
  rawBodyOf,
  readQuery,
  refuseDeclaredSize,
  refuseEncodedBody,
  wellFormed,
} from './read-body.ts'
import { asErrorBody, linesType, streamLines } from './send-errors.ts'

/** In bytes. */
export const defaultBodyLimit = 256 * 1024
const jsonType = 'application/json; charset=utf-8'

export type ServeNeeds = Omit<GuardNeeds, 'db'> & {
  readonly db: JoiningDatabase
  readonly requests: RequestLog
}

type Admitted = {
  readonly caller: Caller
  readonly address: string
  readonly report: GuardReport
}

declare module 'fastify' {
  interface FastifyRequest {
    admitted: Admitted | undefined
  }
}

type Served = {
  readonly needs: ServeNeeds & { readonly log: Log }
  readonly route: Route
  readonly parse: Readonly<Record<'params' | 'query' | 'body', (value: unknown) => unknown>>
  readonly bodyLimit: number
  readonly limit: LimitName
  readonly limitPer: 'params' | undefined
  readonly countsFailures: boolean
  readonly live: Set<Readable>
}

/**
 * Adds a route to the server.
 *
 * Order of checks: declared size, credentials, limits, scope or role, CSRF, content type, JSON, schema,
 * existence.
 */
export function serveRoute(app: FastifyInstance, needs: Served['needs'], route: Route): void {
  if (!route.access) throw new Error(`${route.method} ${route.path} does not declare its permitted callers`)
  const bodyLimit = route.intake?.limit ?? defaultBodyLimit
  const limit = typeof route.limit === 'string' ? { name: route.limit } : route.limit
  const served: Served = {
    needs,
    route,
    parse: { params: compile(route.params), query: compile(route.query), body: compile(route.body) },
    bodyLimit,
    limit: limit?.name ?? (route.method === 'GET' ? 'reads' : 'writes'),
    limitPer: limit?.per,
    countsFailures: limit?.counts === 'failures',
    live: new Set(),
  }
  app.addHook('preClose', async () => {
    for (const body of served.live) body.push(null)
  })
  app.route({
    method: route.method,
    url: route.path.replace(/\{(\w+)\}/g, ':$1'),
    bodyLimit,
    exposeHeadRoute: route.method === 'GET' && route.document?.responseType !== 'text/event-stream',
    config: { bodyType: route.intake?.type } satisfies BodyConfig,
    onRequest: (request, reply) => admit(served, request, reply),
    handler: (request, reply) => respond(served, request, reply),
    ...(served.countsFailures && {
      errorHandler: (error: unknown, request: FastifyRequest) => countFailure(served, error, request),
    }),
    onResponse(request, reply, done) {
      const { knownCaller: caller, knownAddress: address } = request
      const { method, path } = route
      const { statusCode: status } = reply
      if (caller)
        needs.requests.note({ caller, address, method, route: path, status, correlationId: request.id })
      done()
    },
  })
}

async function admit(
  { needs, route, bodyLimit, limit, limitPer, countsFailures }: Served,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  refuseDeclaredSize(request, bodyLimit)
  const credentials = takeCredentials(request.headers, needs.gate, request.ip)
  const { address } = credentials
  const report: GuardReport = {
    header: (name, value) => void reply.header(name, value),
    caller: (caller) => {
      request.knownCaller = caller
      request.knownAddress = address
    },
  }
  const limitSubject =
    limitPer === 'params' ? JSON.stringify([limitAddress(address), route.path, request.params]) : undefined
  const guarded = {
    access: route.access,
    path: route.path,
    isWrite: route.method !== 'GET',
    credentials,
    limit,
    limitSubject,
    countsFailures,
  }
  request.admitted = { caller: await guard(needs, guarded, report), address, report }
  route.intake?.refuseAll?.()
  if (route.method !== 'GET') refuseEncodedBody(request)
}

async function respond(served: Served, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { needs, route, parse } = served
  const who = request.admitted
  if (!who) throw new Error('the guard runs before every handler')
  const params = parse.params(wellFormed(request.params as Record<string, string>))
  const query = parse.query(readQuery(route.query, request.query as Record<string, unknown>))
  // A repeated request with an Idempotency-Key must get the first response.
  const isKeyed = request.headers['idempotency-key'] !== undefined
  const first = isKeyed ? undefined : await route.intake?.respondEarly?.(who.caller)
  if (first) return send(reply, first)
  route.intake?.refuse?.(request.body)
  const merchantWallet = request.headers['x-merchant-wallet']
  const asked = {
    caller: who.caller,
    clientAddress: who.address,
    params,
    query,
    body: parse.body(request.body),
    correlationId: request.id,
    merchantWallet: typeof merchantWallet === 'string' ? merchantWallet : undefined,
    headers: request.headers,
    limit: (name, subject) => takeLimit(needs, { name, subject }, who.report),
  } as Omit<RouteInput<never, never, never>, 'prepared'>
  const warned = (output: RouteOutput) => withWarnings(output, findUnknownFields(route.body, request.body))
  const handle = async (prepared: unknown) => warned(await route.handle({ ...asked, prepared }))
  const prepare = async () => route.prepare?.(asked)
  const keyed = await keyOf(route, request, who.caller)
  if (!keyed) {
    const output = await handle(await prepare())
    if (output.stream) return sendStream(served, request, reply, output)
    if (!output.lines) return send(reply, output)
    reply.code(output.status).type(linesType).header('x-accel-buffering', 'no')
    return reply.send(streamLines(needs.log, output.lines, request.id))
  }
  const early = await route.idempotency?.respond?.(asked, keyed, (output) => asPlain(warned(output)))
  const { isReplay, status, body } =
    early ??
    (await respondOnce(needs, keyed, prepare, async (prepared) => {
      const output = await handle(prepared)
      setHeaders(reply, output)
      return asPlain(output)
    }))
  if (isReplay) reply.header('idempotency-replayed', 'true')
  return reply.code(status).type(jsonType).send(body)
}

/** Counts a failure, except an outage or internal error. Responds with 429 above the limit. */
async function countFailure(
  { needs, limit }: Served,
  error: unknown,
  request: FastifyRequest,
): Promise<never> {
  const who = request.admitted
  const refused = asErrorBody(error)
  if (who && refused && errorStatus[refused.code] < 500)
    await takeLimit(needs, { name: limit, subject: addressSubject(who.address) }, who.report)
  throw error
}

async function keyOf(
  route: Route,
  request: FastifyRequest,
  caller: Caller,
): Promise<KeyedRequest | undefined> {
  if (route.method !== 'POST') return undefined
  const key = parseIdempotencyKey(request.headers['idempotency-key'])
  const isOwnDoing = caller.kind === 'deferred' && route.idempotency?.isSecretResponse
  if (key === undefined || isOwnDoing) return undefined
  const who = caller.kind === 'deferred' ? await caller.recognise() : caller
  const merchant = who && 'merchant' in who ? who.merchant : undefined
  if (merchant === undefined) return undefined
  return {
    merchant,
    method: route.method,
    path: pathOf(route, request),
    key,
    requestHash: hashRequest(queryOf(request), rawBodyOf(request)),
    isSecretResponse: route.idempotency?.isSecretResponse === true,
  }
}

/** Sends a stream. Its headers keep proxies from caching, compressing or buffering it. */
function sendStream(
  { live }: Served,
  { method }: FastifyRequest,
  reply: FastifyReply,
  output: RouteOutput,
): FastifyReply {
  const { body, isLive } = output.stream ?? {}
  if (method === 'HEAD') body?.destroy()
  if (body && isLive) {
    live.add(body)
    body.once('close', () => live.delete(body))
  }
  setHeaders(reply, output)
  reply.header('cache-control', 'no-store, no-transform').header('x-accel-buffering', 'no')
  return reply.code(output.status).send(method === 'HEAD' ? undefined : body)
}

function send(reply: FastifyReply, output: RouteOutput): FastifyReply {
  setHeaders(reply, output)
  if (output.headers?.['content-type']) return reply.code(output.status).send(output.body)
  const { status, body } = asPlain(output)
  return body === '' ? reply.code(status).send() : reply.code(status).type(jsonType).send(body)
}

/** Adds warnings about unknown fields to a response that is an object. */
function withWarnings(output: RouteOutput, unread: readonly FieldWarning[]): RouteOutput {
  const { body } = output
  if (unread.length === 0 || typeof body !== 'object' || body === null || Array.isArray(body)) return output
  const { warnings = [] } = body as { warnings?: readonly FieldWarning[] }
  return { ...output, body: { ...body, warnings: [...warnings, ...unread].slice(0, maxWarnings) } }
}

function setHeaders(reply: FastifyReply, { headers }: RouteOutput): void {
  if (!headers) return
  // Fastify would send the cookie of a renewed session in addition to the handler's.
  if ('set-cookie' in headers) reply.removeHeader('set-cookie')
  reply.headers(headers)
}

function asPlain({ status, body }: RouteOutput): PlainResponse {
  return { status, body: body === undefined ? '' : JSON.stringify(body) }
}

function pathOf(route: Route, request: FastifyRequest): string {
  const params = request.params as Record<string, string>
  return route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

function queryOf(request: FastifyRequest): string {
  const at = request.url.indexOf('?')
  return at === -1 ? '' : request.url.slice(at + 1)
}

function compile(schema: TSchema | undefined): (value: unknown) => unknown {
  if (!schema) return () => undefined
  const check = Compile(schema)
  return (value) => {
    if (check.Check(value)) return value
    throw invalidInput(...issuesOf(check.Errors(value)))
  }
}
