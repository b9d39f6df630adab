import type { IncomingHttpHeaders } from 'node:http'
import { x402Headers } from '@sluice/protocol/x402/messages.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ProgramResponse } from '../../payments/x402/program-response.ts'
import type { PageRequest } from '../html/page-handler.ts'
import type { CheckoutAddress } from '../panels/load-checkout.ts'

export type ProgramNeeds = {
  /**
   * Applies the rate limit.
   * @throws {ApiError} `rate_limited`
   */
  readonly admit: (
    request: FastifyRequest,
    reply: FastifyReply,
    name: 'pages' | 'attemptsPerAddress',
  ) => Promise<void>
  /**
   * Returns the receipt's payment terms, or the result of the submitted payment.
   *
   * @throws {ApiError} `not_found`
   */
  readonly respond: (asked: CheckoutAddress, payment: string | undefined) => Promise<ProgramResponse>
  /**
   * Parses the request as the receipt's page does.
   * @throws {ApiError} `not_found`
   */
  readonly readAddress: (request: PageRequest) => CheckoutAddress
}

type Handler = (request: PageRequest, reply: FastifyReply) => Promise<FastifyReply>

/**
 * CORS for every origin. Safe because no cookie is read, and another origin cannot sign on behalf of its
 * visitor.
 */
const openToAll = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': `${x402Headers.required}, ${x402Headers.response}, Retry-After, X-Correlation-Id`,
}

const preflight = {
  ...openToAll,
  'access-control-allow-methods': 'GET',
  // The official x402 client sends `Access-Control-Expose-Headers` as a request header.
  'access-control-allow-headers': `Accept, ${x402Headers.signature}, Access-Control-Expose-Headers`,
  'access-control-max-age': '86400',
}

/** Responds with the receipt's page or, to programs, with its x402 payment terms. */
export function respondToProgramOr(showPage: Handler, needs: ProgramNeeds): Handler {
  return async (request, reply) => {
    if (!wantsJson(request.headers)) return showPage(request, reply)
    reply.headers(openToAll).headers({
      'cache-control': 'no-store',
      vary: `accept, ${x402Headers.signature.toLowerCase()}`,
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    })
    const payment = paymentOf(request)
    await needs.admit(request, reply, payment === undefined ? 'pages' : 'attemptsPerAddress')
    const { status, headers, body } = await needs.respond(needs.readAddress(request), payment)
    return reply.status(status).headers(headers).send(body)
  }
}

/** Handles the preflight request of a cross-origin payment. */
export function allowPrograms(app: FastifyInstance, path: string): void {
  app.options(path, async (_request, reply) => reply.status(204).headers(preflight).send())
}

/**
 * Returns the payment in a GET request; a HEAD request never pays.
 *
 * The `X-PAYMENT` header of older protocol versions is read, and then rejected because of its version.
 */
function paymentOf({ method, headers }: FastifyRequest): string | undefined {
  if (method === 'HEAD') return undefined
  const sent = headers[x402Headers.signature.toLowerCase()] ?? headers['x-payment']
  return Array.isArray(sent) ? sent.join(',') : sent
}

/** Returns the quality value of a media type, from 0 to 1, or `undefined` if it is not listed. */
function weightOf(accept: string, type: string): number | undefined {
  for (const part of accept.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase())
    if (name !== type) continue
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2)
    const value = weight === undefined ? 1 : Number(weight)
    return value >= 0 && value <= 1 ? value : 0
  }
  return undefined
}

/**
 * Returns whether the client is a program: it sends a payment, or prefers JSON over HTML.
 *
 * Clients that accept anything, such as link previews, get the page.
 */
export function wantsJson(headers: Readonly<IncomingHttpHeaders>): boolean {
  if (headers['payment-signature'] !== undefined || headers['x-payment'] !== undefined) return true
  // Bounds the parsing work; real headers are shorter.
  const accept = (headers.accept ?? '').slice(0, 1_000)
  const json = weightOf(accept, 'application/json') ?? 0
  return json > 0 && json > (weightOf(accept, 'text/html') ?? 0)
}
