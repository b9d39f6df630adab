import { createHash } from 'node:crypto'
import apiReference from '@scalar/fastify-api-reference'
import { type FastifyInstance, fastify } from 'fastify'
import type { Route } from '../../access/route.ts'
import { type Random, systemRandom } from '../../kernel/random.ts'
import { type Asset, compressed } from '../../pages/html/asset.ts'
import { sendAsset, sendCompressed } from '../../pages/html/send-page.ts'
import { addCodeSamples } from './add-code-samples.ts'
import { type ApiSite, describeApi } from './describe-api.ts'

/** The reference page brings its script and styles inline, under a nonce of each answer, and loads nothing from elsewhere. */
const pagePolicy = (nonce: string) =>
  `default-src 'none'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'; ` +
  "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Where the page as it is made once has the nonce of the answer. */
const noncePlace = 'the-nonce-of-the-answer'

/** The library's palette with the contrast that WCAG asks of text: 4.5 to 1. */
const contrastStyles = `
.light-mode { --scalar-color-3: #5f5f5f; --scalar-color-green: #0b6b45; --scalar-color-yellow: #7a5a00;
  --scalar-color-red: #b00020; --scalar-color-blue: #005a96; --scalar-color-orange: #a33b00; --scalar-color-accent: #0b5d66 }
.dark-mode { --scalar-color-3: #a0a0a0; --scalar-color-red: #ff7b72 }
`

/** How the reference is shown: our own samples, in the browser's fonts, and nobody else is asked for anything. */
const configuration = {
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
  customCss: contrastStyles,
} as const

/** Serves the API's document at /openapi.json and the page that shows it at /docs, without the network. */
export async function addApiDocument(
  app: FastifyInstance,
  routes: readonly Route[],
  site: ApiSite,
  random: Random = systemRandom,
): Promise<void> {
  const document = await compressed(
    'application/json; charset=utf-8',
    JSON.stringify(addCodeSamples(describeApi(routes, site))),
  )
  app.get('/openapi.json', async (request, reply) =>
    sendCompressed(request, reply.header('access-control-allow-origin', '*'), document),
  )
  const { page, script, scriptPath } = await renderReference()
  app.get('/docs', async (_request, reply) => reply.redirect('/docs/', 301))
  app.get('/docs/', async (request, reply) => {
    const nonce = Buffer.from(random.bytes(18)).toString('base64url')
    reply
      .header('content-security-policy', pagePolicy(nonce))
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'no-store')
    const html = await compressed('text/html; charset=utf-8', page.replaceAll(noncePlace, nonce))
    return sendCompressed(request, reply, html)
  })
  app.get(scriptPath, { config: { limit: 'none' } }, async (request, reply) =>
    sendAsset(request, reply, script),
  )
}

/**
 * The reference's page and script as the library makes them, once at the start: the page with a language, the script
 * under a name that holds a hash of it, so that browsers keep it for ever.
 */
async function renderReference(): Promise<{ page: string; script: Asset; scriptPath: string }> {
  const library = fastify()
  await library.register(apiReference, { routePrefix: '/docs', configuration })
  const [html, js] = await Promise.all([library.inject('/docs/'), library.inject('/docs/js/scalar.js')])
  await library.close()
  const script = await compressed('text/javascript; charset=utf-8', js.payload)
  const hash = createHash('sha256').update(script.body).digest('hex').slice(0, 12)
  const scriptPath = `/docs/js/scalar.${hash}.js`
  const page = html.payload
    .replace(/<html[^>]*>/, '<html lang="en">')
    .replace('src="js/scalar.js"', `src="${scriptPath}"`)
  return { page, script, scriptPath }
}
