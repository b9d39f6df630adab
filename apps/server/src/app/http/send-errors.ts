import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { errorStatus } from '@sluice/protocol/errors.ts'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, type ErrorBody, echo, invalidInput, viewError } from '../../kernel/api-error.ts'
import { Outage, outageCode } from '../../kernel/outage.ts'
import type { Log } from '../../platform/log.ts'
import type { BodyConfig } from './read-body.ts'

/**
 * Converts an error into a response.
 *
 * Framework errors become 400, outages 503. Other errors become 500 without details.
 */
export function sendError(
  log: Log,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  correlationId: string,
): FastifyReply {
  const errorBody = asErrorBody(error, (request.routeOptions.config as Partial<BodyConfig>).bodyType)
  if (errorBody) {
    const { code, message } = errorBody
    if (code === 'datastore_unavailable') reply.header('retry-after', '1')
    // Serialized here, so that the bytes match those of a stored response for an Idempotency-Key.
    reply.type('application/json; charset=utf-8')
    const route = request.routeOptions.url
    // During an outage each request logs one line, without a stack.
    if (errorStatus[code] === 503) log.warn({ code, cause: causeOf(error), correlationId, route }, message)
    else if (errorStatus[code] >= 500) log.error({ err: error, correlationId, route }, message)
    return reply.code(errorStatus[code]).send(JSON.stringify(viewError(errorBody)))
  }
  log.error(
    { err: error, correlationId, method: request.method, route: request.routeOptions.url },
    'a request failed',
  )
  return reply.code(500).send(viewDefect(correlationId))
}

function viewDefect(correlationId: string) {
  const message = 'An internal error occurred; include the correlation id when you report it'
  return { error: 'failed', message, correlationId }
}

const lingerMs = 2_000

/** Responds on a connection that has no parsed request: invalid framing, oversized headers or a timeout. */
export function sendClientError(
  error: { code?: string },
  socket: Socket,
  correlationId: string,
  common: Readonly<Record<string, string>>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const message = clientErrors[error.code ?? ''] ?? 'The request is not valid HTTP'
  const body = JSON.stringify({ error: 'invalid_input', message, issues: [{ path: '', message }] })
  const headers = Object.entries(common).map(([name, value]) => `${name}: ${value}\r\n`)
  // A slow sender may also be slow to close.
  socket.setTimeout(lingerMs, () => socket.destroy())
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n` +
      `X-Correlation-Id: ${correlationId}\r\n${headers.join('')}Connection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

/**
 * Rejects an unsupported `Expect` header. Node would send 417, which the API does not use.
 *
 * See docs/contract.md#requests-and-errors.
 */
export function sendExpectation(
  response: ServerResponse,
  correlationId: string,
  common: Readonly<Record<string, string>>,
): void {
  const message = 'This service does not support the expectation in the Expect header'
  response
    .writeHead(400, {
      ...common,
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Correlation-Id': correlationId,
      Connection: 'close',
    })
    .end(JSON.stringify({ error: 'invalid_input', message, issues: [{ path: '', message }] }))
}

const clientErrors: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The URL or the headers are too long',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request was sent too slowly',
}

/** Details of an outage for the log only. */
function causeOf(error: unknown): string | undefined {
  const { dependency, cause } = error as Outage
  const inner = dependency === 'datastore' ? error : cause
  return inner instanceof Error ? inner.message : undefined
}

/**
 * Returns the API error for a thrown value, or `undefined` for an internal error.
 *
 * @param bodyType - Body type of the route, if known and not JSON.
 */
export function asErrorBody(error: unknown, bodyType?: BodyConfig['bodyType']): ErrorBody | undefined {
  if (error instanceof ApiError) return error
  if (error instanceof Outage) return { code: outageCode(error), message: outageMessage(error), extras: {} }
  const { statusCode, code, message } = error as FastifyError
  // The client no longer listens. This error must not count as an outage or an internal error.
  if (code === 'ECONNRESET' && message === 'aborted')
    return invalidInput({ path: '', message: 'The connection was closed before the request was complete' })
  if (typeof code === 'string' && code.startsWith('FST_') && statusCode !== undefined && statusCode < 500) {
    const isOtherType = code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' && bodyType === 'text/csv'
    const message = isOtherType ? 'The body must be sent as text/csv' : frameworkErrors[code]
    return invalidInput({ path: '', message: message ?? 'The request is not valid HTTP' })
  }
  return undefined
}

/** Hides the datastore's error from clients. */
function outageMessage({ dependency, message }: Outage): string {
  return dependency === 'datastore' ? 'The datastore is unavailable; try again shortly' : message
}

const frameworkErrors: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The body must be sent as application/json',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is too large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The length of the body does not match Content-Length',
  FST_ERR_BAD_URL: 'The URL is not valid',
  FST_ERR_MAX_PARAM_LENGTH: 'The URL is too long',
}

type UnknownPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

export function handleUnknownPaths(app: FastifyInstance, page?: UnknownPage): void {
  app.setNotFoundHandler(async (request, reply) => {
    if (page && wantsPage(request)) return page(request, reply)
    const message = `No such endpoint: ${request.method} ${echo(request.url.split('?', 1)[0] ?? '')}`
    reply.header('cache-control', 'no-store').code(404)
    return { error: 'not_found', message }
  })
}

function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  const isApi = /^\/api(?:[/?]|$)/.test(url)
  return method === 'GET' && !isApi && /\btext\/html\b/.test(headers.accept ?? '')
}

export const linesType = 'application/x-ndjson; charset=utf-8'

/**
 * Streams JSON lines.
 *
 * The status is sent before the outcome is known, so an error becomes the last line.
 */
export function streamLines(log: Log, lines: AsyncIterable<unknown>, correlationId: string): Readable {
  return Readable.from(write(log, lines, correlationId))
}

async function* write(
  log: Log,
  lines: AsyncIterable<unknown>,
  correlationId: string,
): AsyncGenerator<string> {
  try {
    for await (const line of lines) yield `${JSON.stringify(line)}\n`
  } catch (error) {
    const errorBody = asErrorBody(error)
    if (!errorBody)
      log.error({ err: error, correlationId }, 'a request failed while its response was being sent')
    yield `${JSON.stringify(errorBody ? viewError(errorBody) : viewDefect(correlationId))}\n`
  }
}
