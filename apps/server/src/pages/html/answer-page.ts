import type { SafeHtml } from '@remix-run/html-template'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Random } from '../../kernel/random.ts'
import { Refusal } from '../../kernel/refusal.ts'
import type { Log } from '../../platform/log.ts'
import { chooseLocale } from '../messages/locales.ts'
import { translator } from '../messages/translator.ts'
import type { PageAssets } from './build-assets.ts'
import { errorPage, errorStatusOf, type PageFrame, pageErrorOf } from './error-page.ts'
import { type PageAllowances, sendPage } from './send-page.ts'

/** What every page needs. */
export type PageTools = {
  readonly random: Random
  readonly log: Log
  /** Counts a page, or an order, against the address that asks for it. @throws {Refusal} `rate_limited` */
  readonly admit: (
    request: FastifyRequest,
    reply: FastifyReply,
    name: 'pages' | 'storeOrders',
  ) => Promise<void>
}

/** A request for a page: parameters and query as they came. */
export type PageRequest = FastifyRequest<{
  Params: Record<string, string>
  Querystring: Record<string, unknown>
}>

/** A page as it is answered, or where to go instead; both may carry headers. */
export type PageAnswer = PageShown | PageElsewhere

type PageShown = {
  /** 200 where none is given. */
  readonly status?: number
  readonly html: SafeHtml
  readonly allow?: PageAllowances
  readonly headers?: Readonly<Record<string, string>>
}

/** A form's answer: the page to go to by GET, on this service. */
type PageElsewhere = { readonly goTo: string; readonly headers?: Readonly<Record<string, string>> }

/**
 * The handler of a page's route. Pages answer in HTML, so refusals and failures become pages here;
 * all else of the service leaves that to the one error mapper.
 */
export function answerPage(
  tools: PageTools,
  assets: PageAssets,
  make: (request: PageRequest, frame: PageFrame) => Promise<PageAnswer>,
  limit: 'pages' | 'storeOrders' = 'pages',
): (request: PageRequest, reply: FastifyReply) => Promise<FastifyReply> {
  return async (request, reply) => {
    const nonce = Buffer.from(tools.random.bytes(18)).toString('base64url')
    const t = translator(chooseLocale(request.query.lang, request.headers['accept-language']))
    const frame = { assets, nonce, t, correlationId: request.id }
    try {
      await tools.admit(request, reply, limit)
      const answer = await make(request, frame)
      reply.headers(answer.headers ?? {})
      if ('goTo' in answer) return reply.header('cache-control', 'no-store').redirect(answer.goTo, 303)
      const { status = 200, headers: _, ...page } = answer
      return await sendPage(request, reply, { ...page, status, nonce })
    } catch (error) {
      const trouble = pageErrorOf(error)
      if (!(error instanceof Refusal)) {
        tools.log.error({ err: error, correlationId: request.id }, 'a page failed')
      }
      if (trouble === 'out-of-order') reply.header('retry-after', '5')
      return sendPage(request, reply, {
        status: errorStatusOf[trouble],
        nonce,
        html: errorPage(trouble, frame),
      })
    }
  }
}
