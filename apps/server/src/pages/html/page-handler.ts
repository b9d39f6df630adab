import type { SafeHtml } from '@remix-run/html-template'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../kernel/api-error.ts'
import type { Random } from '../../kernel/random.ts'
import type { Log } from '../../platform/log.ts'
import { chooseLocale } from '../messages/locales.ts'
import { translator } from '../messages/translator.ts'
import type { FindTheme } from '../theme/make-theme.ts'
import { type PageTheme, plainTheme } from '../theme/page-theme.ts'
import type { PageAssets } from './build-assets.ts'
import { errorPage, errorStatusOf, type PageError, type PageFrame, pageErrorOf } from './error-page.ts'
import { type PageAllowances, type PageFile, sendFile, sendPage } from './send-page.ts'

export type PageTools = {
  readonly random: Random
  readonly log: Log
  readonly themes: { readonly find: FindTheme }
  /**
   * Applies a page's rate limit.
   * @throws {ApiError} `rate_limited`
   */
  readonly admit: (request: FastifyRequest, reply: FastifyReply, name: PageLimit) => Promise<void>
}

/** Name of a page's rate limit. Limits other than `pages` apply to more expensive requests. */
export type PageLimit = 'pages' | 'documents' | 'claims' | 'storeOrders' | 'attemptsPerAddress'

export type PageRequest = FastifyRequest<{
  Params: Record<string, string>
  Querystring: Record<string, unknown>
}>

/** Response of a page: HTML, a file, or a redirect within this service. */
export type PageResponse = PageShown | { readonly file: PageFile } | PageElsewhere

type PageShown = {
  /** Defaults to 200. */
  readonly status?: number
  readonly html: SafeHtml
  readonly allow?: PageAllowances
  readonly headers?: Readonly<Record<string, string>>
}

type PageElsewhere = { readonly redirect: string; readonly headers?: Readonly<Record<string, string>> }

/**
 * Returns the handler for a page's route. Renders errors as HTML pages instead of leaving them to the error
 * mapper.
 */
export function pageHandler(
  tools: PageTools,
  assets: PageAssets,
  make: (request: PageRequest, frame: PageFrame) => Promise<PageResponse>,
  limit: PageLimit = 'pages',
): (request: PageRequest, reply: FastifyReply) => Promise<FastifyReply> {
  return async (request, reply) => {
    const nonce = Buffer.from(tools.random.bytes(18)).toString('base64url')
    const t = translator(chooseLocale(request.query.lang, request.headers['accept-language']))
    const frame = { assets, nonce, t, correlationId: request.id }
    try {
      await tools.admit(request, reply, limit)
      const response = await make(request, frame)
      if ('file' in response) return sendFile(reply, response.file)
      reply.headers(response.headers ?? {})
      if ('redirect' in response)
        return reply.header('cache-control', 'no-store').redirect(response.redirect, 303)
      const { status = 200, headers: _, ...page } = response
      return await sendPage(request, reply, { ...page, status, nonce })
    } catch (error) {
      const trouble = pageErrorOf(error)
      if (!(error instanceof ApiError)) {
        tools.log.error({ err: error, correlationId: request.id }, 'a page request failed')
      }
      if (trouble === 'out-of-order') reply.header('retry-after', '5')
      return sendPage(request, reply, {
        status: errorStatusOf[trouble],
        nonce,
        html: errorPage(trouble, { ...frame, theme: await themeOf(tools, trouble, request) }),
      })
    }
  }
}

/** Returns the theme of the requested host's brand, or the plain theme if the database is unavailable. */
async function themeOf({ themes }: PageTools, trouble: PageError, request: PageRequest): Promise<PageTheme> {
  return trouble === 'out-of-order' ? plainTheme : themes.find(undefined, request.headers.host)
}
