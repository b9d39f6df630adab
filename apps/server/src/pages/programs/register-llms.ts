import type { FastifyInstance } from 'fastify'
import type { FindTheme } from '../theme/page-themes.ts'
import { llmsText } from './llms-text.ts'

/** Registers /llms.txt, in which programs read what this service is (https://llmstxt.org). */
export function registerLlms(
  app: FastifyInstance,
  { themes }: { readonly themes: { readonly find: FindTheme } },
): void {
  app.get('/llms.txt', async (request, reply) => {
    const { brandName } = await themes.find(undefined, request.headers.host)
    return reply
      .headers({ 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' })
      .header('cache-control', 'public, max-age=300')
      .type('text/plain; charset=utf-8')
      .send(llmsText(brandName))
  })
}
