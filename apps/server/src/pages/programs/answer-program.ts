import type { IncomingHttpHeaders } from 'node:http'
import { x402Headers } from '@sluice/protocol/x402/messages.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ProgramAnswer } from '../../payments/x402/program-answer.ts'
import type { PageRequest } from '../html/answer-page.ts'
import type { CheckoutAddress } from '../panels/load-checkout.ts'

/** What programs are answered with. */
export type ProgramNeeds = {
  /** Counts a request against the address that it comes from. @throws {Refusal} `rate_limited` */
  readonly admit: (
    request: FastifyRequest,
    reply: FastifyReply,
    name: 'pages' | 'attemptsPerAddress',
  ) => Promise<void>
  /**
   * How a receipt stands for a program, or what became of the payment it sent.
   *
   * @throws {Refusal} `not_found`
   */
  readonly answer: (asked: CheckoutAddress, payment: string | undefined) => Promise<ProgramAnswer>
  /** Reads a request as the page of it does. @throws {Refusal} `not_found` */
  readonly readAddress: (request: PageRequest) => CheckoutAddress
}

type Answer = (request: PageRequest, reply: FastifyReply) => Promise<FastifyReply>

/**
 * Programs of any origin may read what is asked of them, and pay it: nothing here depends on who asks, no cookie is
 * read, and a page of another origin could not sign for its visitor.
 */
const openToAll = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': `${x402Headers.required}, ${x402Headers.response}, Retry-After, X-Correlation-Id`,
}

const preflight = {
  ...openToAll,
  'access-control-allow-methods': 'GET',
  // The official client sends the name of the last one as a header of its request.
  'access-control-allow-headers': `Accept, ${x402Headers.signature}, Access-Control-Expose-Headers`,
  'access-control-max-age': '86400',
}

/** The page of a receipt; and for programs, at the same address, the receipt as x402 has it. */
export function answerProgramOr(showPage: Answer, needs: ProgramNeeds): Answer {
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
    const { status, headers, body } = await needs.answer(needs.readAddress(request), payment)
    return reply.status(status).headers(headers).send(body)
  }
}

/** Browsers ask before they send the headers of a payment from another origin. */
export function allowPrograms(app: FastifyInstance, path: string): void {
  app.options(path, async (_request, reply) => reply.status(204).headers(preflight).send())
}

/**
 * The payment that a GET carries; a HEAD pays nothing. Earlier versions of the protocol had another header: what it says
 * is refused for its version.
 */
function paymentOf({ method, headers }: FastifyRequest): string | undefined {
  if (method === 'HEAD') return undefined
  const sent = headers[x402Headers.signature.toLowerCase()] ?? headers['x-payment']
  return Array.isArray(sent) ? sent.join(',') : sent
}

/** How much a media type is wanted, from 0 to 1; `undefined` where it is not named. */
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
 * Whether a payment URL was asked for by a program: it brings a payment, or names JSON and does not like a page as much.
 * Everybody else gets the page, also who takes anything: a link preview, for one.
 */
export function wantsJson(headers: Readonly<IncomingHttpHeaders>): boolean {
  if (headers['payment-signature'] !== undefined || headers['x-payment'] !== undefined) return true
  // Longer than any that is meant; what is beyond is not read.
  const accept = (headers.accept ?? '').slice(0, 1_000)
  const json = weightOf(accept, 'application/json') ?? 0
  return json > 0 && json > (weightOf(accept, 'text/html') ?? 0)
}
