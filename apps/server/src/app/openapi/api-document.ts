import apiReference from '@scalar/fastify-api-reference'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Route } from '../../access/route.ts'
import { type Random, systemRandom } from '../../kernel/random.ts'
import { addCodeSamples } from './add-code-samples.ts'
import { type ApiSite, describeApi } from './describe-api.ts'

/** The reference page brings its script and styles inline, under a nonce of each answer, and loads nothing from elsewhere. */
const pagePolicy = (nonce: string) =>
  `default-src 'none'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'; ` +
  "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Where the page as it is made once has the nonce of the answer. */
const noncePlace = 'the-nonce-of-the-answer'

/** Serves the API's document at /openapi.json and the page that shows it at /docs, without the network. */
export async function addApiDocument(
  app: FastifyInstance,
  routes: readonly Route[],
  site: ApiSite,
  random: Random = systemRandom,
): Promise<void> {
  const document = JSON.stringify(addCodeSamples(describeApi(routes, site)))
  app.get('/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').header('access-control-allow-origin', '*').send(document),
  )
  const nonces = new WeakMap<FastifyRequest, string>()
  app.addHook('onSend', async (request, _reply, payload) => {
    const nonce = nonces.get(request)
    return nonce && typeof payload === 'string' ? payload.replaceAll(noncePlace, nonce) : payload
  })
  await app.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
      nonce: noncePlace,
      url: '/openapi.json',
      pageTitle: 'Sluice API',
      withDefaultFonts: false,
      proxyUrl: '',
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      hideClientButton: true,
      // The samples of the document are shown instead: they run as they stand.
      hiddenClients: true,
      showDeveloperTools: 'never',
    },
    hooks: {
      onRequest: (request, reply, done) => {
        const nonce = Buffer.from(random.bytes(18)).toString('base64url')
        if (request.routeOptions.url === '/docs/') nonces.set(request, nonce)
        reply.header('content-security-policy', pagePolicy(nonce))
        done()
      },
    },
  })
}
