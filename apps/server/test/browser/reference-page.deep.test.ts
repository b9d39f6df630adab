import { afterAll, beforeAll, expect, test } from 'vitest'
import { addApiDocument } from '../../src/app/openapi/api-document.ts'
import { type ApiOptions, startApi, type TestApi } from '../support/api/start-api.ts'
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts'
import { violations } from '../support/browser/violations.ts'

let api: TestApi
let url: string
let browser: TestBrowser
beforeAll(async () => {
  const site = { baseUrl: 'https://pay.example.com', version: '1.2.3' }
  const extend: ApiOptions['extend'] = (app, routes, { parts }) =>
    addApiDocument(app, routes, site, parts.random)
  ;[api, browser] = await Promise.all([startApi({ extend }), openBrowser()])
  url = api.url
})
afterAll(async () => {
  await browser?.close()
  await api?.stop()
})

test('the reference shows how an operation is called, and asks nobody else for anything', async () => {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
  const strangers: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) strangers.push(request.url())
  })
  const refused: string[] = []
  page.on('console', (message) => {
    // The policy blocks some style attributes of the menus, which work without them.
    if (/Content Security Policy.*script-src/i.test(message.text())) refused.push(message.text())
  })
  await page.goto(`${url}/docs/api#tag/receipts/POST/api/receipts`)
  const operation = page.locator('[id*="receipts/POST/api/receipts"]').first()
  await operation.getByText('Espresso beans, 1 kg').first().waitFor()
  await operation.getByText('curl', { exact: false }).first().waitFor()
  expect(strangers).toEqual([])
  expect(refused).toEqual([])
  // The browser's own style has a margin.
  expect(await page.evaluate('getComputedStyle(document.body).margin')).toBe('0px')
})

test('the reference runs no script and no style that is not its own', async () => {
  const [one, two] = await Promise.all([fetch(`${url}/docs/api`), fetch(`${url}/docs/api`)])
  const policy = one.headers.get('content-security-policy') ?? ''
  expect(policy).not.toContain('unsafe')
  const nonce = /script-src [^;]*'nonce-([\w-]{24})'/.exec(policy)?.[1] ?? 'none'
  expect(await one.text()).toContain(`nonce="${nonce}"`)
  expect(two.headers.get('content-security-policy')).not.toContain(nonce)
})

test('the reference has a language and no violation of WCAG 2.2 AA, in light and dark', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 }, colorScheme })
    await page.goto(`${url}/docs/api#tag/receipts/POST/api/receipts`)
    await page.getByText('Espresso beans, 1 kg').first().waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
    expect(await violations(page)).toEqual([])
    await page.close()
  }
})

test('the reference comes compressed, and its script is kept for ever', async () => {
  const read = (path: string, encoding: string) =>
    fetch(url + path, { headers: { 'accept-encoding': encoding } })
  const page = await (await read('/docs/api', 'identity')).text()
  const script = /src="(\/docs\/js\/scalar\.[0-9a-f]{12}\.js)"/.exec(page)?.[1] ?? 'none'
  const response = await read(script, 'gzip')
  expect(response.headers.get('content-encoding')).toBe('gzip')
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect((await read('/docs/api', 'gzip')).headers.get('content-encoding')).toBe('gzip')
  expect((await read('/openapi.json', 'gzip')).headers.get('content-encoding')).toBe('gzip')
  expect((await read('/openapi.json', 'identity')).headers.get('content-encoding')).toBeNull()
})
