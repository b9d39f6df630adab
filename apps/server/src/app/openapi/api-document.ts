import type { FastifyInstance } from 'fastify'
import type { Route } from '../../access/route.ts'
import { ApiError } from '../../kernel/api-error.ts'
import type { Random } from '../../kernel/random.ts'
import { memoize } from '../../kernel/turns/memoize.ts'
import { compressed, sendAsset, sendCompressed } from '../../pages/html/send-page.ts'
import { type ApiSite, describeApi } from './describe-api.ts'
import { makeReferencePage, noncePlace } from './reference-page.ts'

/**
 * The page has an inline script and inline styles, with a nonce per response. It loads nothing from other
 * hosts.
 */
const pagePolicy = (nonce: string) =>
  `default-src 'none'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'; ` +
  "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export async function addApiDocument(
  app: FastifyInstance,
  routes: readonly Route[],
  site: ApiSite,
  random: Random,
): Promise<void> {
  // Built on the first request, because most processes never serve it and it would slow each start.
  const find = memoize(async () =>
    compressed('application/json; charset=utf-8', JSON.stringify(describeApi(routes, site))),
  )
  app.get('/openapi.json', async (request, reply) =>
    sendCompressed(request, reply.header('access-control-allow-origin', '*'), await find()),
  )
  const open = makeReferencePage()
  app.get('/docs/api', async (request, reply) => {
    const nonce = Buffer.from(random.bytes(18)).toString('base64url')
    reply
      .header('content-security-policy', pagePolicy(nonce))
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'no-store')
    const { page } = await open()
    const html = await compressed('text/html; charset=utf-8', page.replaceAll(noncePlace, nonce))
    return sendCompressed(request, reply, html)
  })
  app.get<{ Params: { file: string } }>('/docs/js/:file', async (request, reply) => {
    const { scriptName, script } = await open()
    if (request.params.file !== scriptName) throw new ApiError('not_found', 'File not found')
    return sendAsset(request, reply, script)
  })
}
