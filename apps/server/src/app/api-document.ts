import apiReference from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import type { Route } from '../access/route.ts'
import { addCodeSamples } from './add-code-samples.ts'
import { type ApiSite, describeApi } from './describe-api.ts'

/** The reference page brings its script and styles inline and loads nothing from elsewhere. */
const pagePolicy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Serves the API's document at /openapi.json and the page that shows it at /docs, without the network. */
export async function addApiDocument(
  app: FastifyInstance,
  routes: readonly Route[],
  site: ApiSite,
): Promise<void> {
  const document = JSON.stringify(addCodeSamples(describeApi(routes, site)))
  app.get('/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').header('access-control-allow-origin', '*').send(document),
  )
  await app.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
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
      onRequest: (_request, reply, done) => {
        reply.header('content-security-policy', pagePolicy)
        done()
      },
    },
  })
}
