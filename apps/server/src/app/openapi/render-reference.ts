import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import apiReference from '@scalar/fastify-api-reference'
import { fastify } from 'fastify'
import { noncePlace, type RenderedReference } from './reference-page.ts'

/** Overrides of the library's colors, for the text contrast of 4.5:1 that WCAG requires. */
const contrastStyles = `
.light-mode { --scalar-color-3: #5f5f5f; --scalar-color-green: #0b6b45; --scalar-color-yellow: #7a5a00;
  --scalar-color-red: #b00020; --scalar-color-blue: #005a96; --scalar-color-orange: #a33b00; --scalar-color-accent: #0b5d66 }
.dark-mode { --scalar-color-3: #a0a0a0; --scalar-color-red: #ff7b72 }
`

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
  showDeveloperTools: 'never',
  customCss: contrastStyles,
} as const

// A separate program, because the library takes 20 MB and most services never show the page.
process.stdout.write(JSON.stringify(await renderReference()))

/**
 * Renders the page and its script. The script's name contains its hash, so that browsers can cache it
 * permanently.
 */
async function renderReference(): Promise<RenderedReference> {
  const library = fastify()
  await library.register(apiReference, { routePrefix: '/docs', configuration })
  const [html, js] = await Promise.all([library.inject('/docs/'), library.inject('/docs/js/scalar.js')])
  await library.close()
  const hash = createHash('sha256').update(js.payload).digest('hex').slice(0, 12)
  const scriptName = `scalar.${hash}.js`
  const page = html.payload
    .replace(/<html[^>]*>/, '<html lang="en">')
    .replace('src="js/scalar.js"', `src="/docs/js/${scriptName}"`)
  return { page, scriptName, scriptGzip: gzipSync(js.payload).toString('base64') }
}
