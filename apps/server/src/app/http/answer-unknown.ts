import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { echo } from '../../kernel/refusal.ts'

/** Answers a browser that asks for a page there is not. */
export type UnknownPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

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
