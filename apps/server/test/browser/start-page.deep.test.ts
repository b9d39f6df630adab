import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { violations } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'
import { startLocalService } from '../support/service/local-service.ts'

const service = perFile(() => startLocalService())
const browser = perFile(openBrowser)

const looks = [1280, 320].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({
    viewport: { width, height: 800 },
    colorScheme,
  })),
)

test.each([
  ['/', 'Accept crypto payments, paid directly to you'],
  ['/no/such/page', 'Page not found'],
])('%s answers a browser with a page without a violation, wide and narrow, light and dark', async (path, heading) => {
  const buyer = await openAsBuyer(browser, service.baseUrl + path)
  for (const { viewport, colorScheme } of looks) {
    await buyer.page.setViewportSize(viewport)
    await buyer.page.emulateMedia({ colorScheme })
    expect(await buyer.page.locator('h1').innerText()).toBe(heading)
    expect(await violations(buyer.page)).toEqual([])
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await buyer.page.evaluate(overflow)).toBe(0)
  }
  expect(buyer.problems.filter((text) => !text.includes('404'))).toEqual([])
  await buyer.close()
})

test('the start page of a local service leads to a receipt that is still to be paid, to the demo shop, and to the reference', async () => {
  const buyer = await openAsBuyer(browser, service.baseUrl)
  await buyer.page.getByRole('link', { name: 'Open the demo checkout' }).click()
  await buyer.page.getByRole('heading', { name: /^Pay / }).waitFor()
  expect(new URL(buyer.page.url()).pathname).toBe('/portal/welcome-1')
  await buyer.page.goto(service.baseUrl)
  await buyer.page.getByRole('link', { name: 'Visit the demo shop' }).click()
  await buyer.page.getByRole('heading', { level: 1, name: 'Tidewater Coffee' }).waitFor()
  await buyer.page.goto(service.baseUrl)
  await buyer.page.getByRole('link', { name: 'Open the API reference' }).click()
  await buyer.page.waitForURL(/\/docs\/api(#.*)?$/)
  await buyer.page.waitForFunction("document.title === 'Sluice API'", undefined, { timeout: 60_000 })
  await buyer.close()
})

test('an unknown page has a way on; programs and the API get JSON', async () => {
  const ask = (path: string, accept: string) => fetch(service.baseUrl + path, { headers: { accept } })
  const page = await ask('/no/such/page', 'text/html')
  expect([page.status, await page.text()]).toEqual([404, expect.stringContaining('href="/"')])
  for (const [path, accept] of [
    ['/no/such/page', '*/*'],
    ['/api/no', 'text/html'],
    ['/api', 'text/html'],
  ] as const) {
    const response = await ask(path, accept)
    expect([response.status, await response.json()]).toMatchObject([404, { error: 'not_found' }])
  }
})
