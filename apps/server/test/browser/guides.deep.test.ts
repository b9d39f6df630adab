import { expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { startPageHarness } from '../support/browser/page-harness.ts'
import { violations } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'

const harness = perFile(() => startPageHarness())
const browser = perFile(openBrowser)

const looks = [1280, 360].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => [width, colorScheme] as const),
)

test.each(looks)('the guides fit and have no violation at %i pixels, %s', async (width, colorScheme) => {
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme })
  const problems: string[] = []
  page.on('console', (message) => void problems.push(message.text()))
  for (const path of [
    '/docs/',
    '/docs/webhooks',
    '/docs/reference/api',
    '/docs/dashboard',
    '/docs/search?q=pay',
  ]) {
    await page.goto(harness.url + path)
    expect([path, await violations(page)]).toEqual([path, []])
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect([path, await page.evaluate(overflow)]).toEqual([path, 0])
  }
  expect(problems).toEqual([])
  await page.close()
})

test('a reader searches, follows a result to its section, and copies the code', async () => {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  const page = await context.newPage()
  await page.goto(`${harness.url}/docs/`)
  await page.getByRole('searchbox').fill('retries of a webhook')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Webhooks › Retries' }).click()
  await page.waitForURL(/\/docs\/webhooks#retries$/)
  const block = page.locator('.code').first()
  await block.getByRole('button', { name: 'Copy' }).click()
  await block.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    await block.locator('code').textContent(),
  )
  await context.close()
})
