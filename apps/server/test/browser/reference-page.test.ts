import type { FastifyInstance } from 'fastify'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addApiDocument } from '../../src/app/api-document.ts'
import { makeHttp } from '../../src/app/http.ts'
import { systemRandom } from '../../src/kernel/random.ts'
import { makeLog } from '../../src/platform/log.ts'
import { launchBrowser } from '../support/browser.ts'
import { startApi, type TestApi } from '../support/start-api.ts'

let api: TestApi
let app: FastifyInstance
let url: string
let browser: Browser
beforeAll(async () => {
  ;[api, browser] = await Promise.all([startApi(), launchBrowser()])
  app = makeHttp({ ...api.access, random: systemRandom, log: makeLog('silent') }, api.routes)
  await addApiDocument(app, api.routes, { baseUrl: 'https://pay.example.com', version: '1.2.3' })
  url = await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await browser?.close()
  await app?.close()
  await api?.stop()
})

test('the reference shows the samples of an operation, in each language, and asks nobody else for anything', async () => {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
  const strangers: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) strangers.push(request.url())
  })
  await page.goto(`${url}/docs/#tag/receipts/POST/api/receipts`)
  const operation = page.locator('[id*="receipts/POST/api/receipts"]').first()
  let shown = 'curl'
  for (const [language, start] of [
    ['curl', 'curl -sS --fail-with-body "$SLUICE_URL/api/receipts"'],
    ['TypeScript', "method: 'POST',"],
    ['Python', 'import urllib.request'],
  ] as const) {
    if (language !== shown) {
      await operation.getByText(shown, { exact: true }).first().click()
      await page.getByRole('option', { name: language, exact: true }).click()
      shown = language
    }
    await operation.getByText(start).first().waitFor()
  }
  expect(strangers).toEqual([])
})
