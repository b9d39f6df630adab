import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { errorStatus } from '@sluice/protocol/errors.ts'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Outage, outageCode } from '../../kernel/outage.ts'
import { type ErrorAnswer, echo, invalidInput, Refusal, viewError } from '../../kernel/refusal.ts'
import type { Log } from '../../platform/log.ts'
import type { BodyConfig } from './read-body.ts'

/**
 * Turns whatever was thrown into an answer of the contract: refusals as they say, the framework's own
 * complaints as 400, an outage as 503, everything else as 500 without a word of its inside.
 */
export function answerError(
  log: Log,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  correlationId: string,
): FastifyReply {
  const answer = asErrorAnswer(error, (request.routeOptions.config as Partial<BodyConfig>).bodyType)
  if (answer) {
    const { code, message } = answer
    if (code === 'datastore_unavailable') reply.header('retry-after', '1')
    // A text, as an answer that is kept for its Idempotency-Key is sent too: the bytes must not differ.
    reply.type('application/json; charset=utf-8')
    const route = request.routeOptions.url
    // In an outage each request says so: a line, and no stack.
    if (errorStatus[code] === 503) log.warn({ code, cause: causeOf(error), correlationId, route }, message)
    else if (errorStatus[code] >= 500) log.error({ err: error, correlationId, route }, message)
    return reply.code(errorStatus[code]).send(JSON.stringify(viewError(answer)))
  }
  log.error(
    { err: error, correlationId, method: request.method, route: request.routeOptions.url },
    'a request failed',
  )
  return reply.code(500).send(viewFault(correlationId))
}

/** What is said of a fault of ours. */
function viewFault(correlationId: string) {
  const message = 'Something went wrong on our side; quote the correlation id when you report it'
  return { error: 'failed', message, correlationId }
}

const lingerMs = 2_000

/** A request that never became one: broken framing, headers too large, too slow. */
export function answerClientError(
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
  // Whoever sends slowly may hang up slowly, too.
  socket.setTimeout(lingerMs, () => socket.destroy())
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n` +
      `X-Correlation-Id: ${correlationId}\r\n${headers.join('')}Connection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

/** An `Expect` nobody here can fulfil. Node's own answer would be a 417, which the contract does not know. */
export function answerExpectation(
  response: ServerResponse,
  correlationId: string,
  common: Readonly<Record<string, string>>,
): void {
  const message = 'The Expect header asks for something that this service does not support'
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

/** What of an outage is for the operator alone. */
function causeOf(error: unknown): string | undefined {
  const { dependency, cause } = error as Outage
  const inner = dependency === 'datastore' ? error : cause
  return inner instanceof Error ? inner.message : undefined
}

/**
 * What was thrown as an answer of the contract; `undefined` for a fault of ours.
 *
 * @param bodyType - What the route takes, if that is known and not JSON.
 */
export function asErrorAnswer(error: unknown, bodyType?: BodyConfig['bodyType']): ErrorAnswer | undefined {
  if (error instanceof Refusal) return error
  if (error instanceof Outage) return { code: outageCode(error), message: outageMessage(error), extras: {} }
  const { statusCode, code, message } = error as FastifyError
  // Whoever hung up does not hear it; what counts is that it is told from an outage of ours and from a fault.
  if (code === 'ECONNRESET' && message === 'aborted')
    return invalidInput({ path: '', message: 'The connection was closed before the request was complete' })
  if (typeof code === 'string' && code.startsWith('FST_') && statusCode !== undefined && statusCode < 500) {
    const isOtherType = code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' && bodyType === 'text/csv'
    const message = isOtherType ? 'The body must be sent as text/csv' : frameworkErrors[code]
    return invalidInput({ path: '', message: message ?? 'The request is not valid HTTP' })
  }
  return undefined
}

/** What is wrong with the datastore is nobody's business but the operator's. */
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

/** Answers a browser that asks for a page there is not. */
type UnknownPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** What is answered where no route is: a page to a browser, JSON to all others and everywhere under /api. */
export function answerUnknown(app: FastifyInstance, page?: UnknownPage): void {
  app.setNotFoundHandler(async (request, reply) => {
    if (page && wantsPage(request)) return page(request, reply)
    const message = `There is no ${request.method} ${echo(request.url.split('?', 1)[0] ?? '')}`
    reply.header('cache-control', 'no-store').code(404)
    return { error: 'not_found', message }
  })
}

function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  const isApi = /^\/api(?:[/?]|$)/.test(url)
  return method === 'GET' && !isApi && /\btext\/html\b/.test(headers.accept ?? '')
}

/** What such an answer is sent as: JSON values, one a line. */
export const linesType = 'application/x-ndjson; charset=utf-8'

/**
 * An answer that comes line by line. Its status is sent before the outcome is known, so an error is the
 * last line, in the form it has as an answer of its own.
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
    const answer = asErrorAnswer(error)
    if (!answer) log.error({ err: error, correlationId }, 'a request failed while its answer was being sent')
    yield `${JSON.stringify(answer ? viewError(answer) : viewFault(correlationId))}\n`
  }
}
