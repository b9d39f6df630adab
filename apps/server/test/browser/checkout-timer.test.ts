import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser/browser.ts'
import { listen, openAsBuyer } from '../support/browser/checkout-browser.ts'
import { type CheckoutHarness, startCheckoutHarness } from '../support/browser/checkout-harness.ts'
import { makeAttempt } from '../support/browser/checkout-views.ts'

let harness: CheckoutHarness
let browser: Browser
beforeAll(async () => {
  ;[harness, browser] = await Promise.all([startCheckoutHarness(), launchBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await harness?.close()
})

it('point 25: the time left is said at five minutes, at one, and when it is over; never in between', async () => {
  const url = harness.put('timer', (now) => ({ attempt: makeAttempt('USDC', now) }))
  const { page, problems, close } = await openAsBuyer(browser, url, { hasClock: true })
  await page.clock.pauseAt(Date.now() + 60_000)
  const heard = await listen(page)
  const says: string[][] = []
  const quote = await page.evaluate<number>("Number(document.querySelector('[data-left-ms]').dataset.leftMs)")
  expect(quote).toBeGreaterThan(890_000)
  for (let second = 0; second < 835; second += 5) {
    await page.clock.runFor(5_000)
    const all = await heard()
    if (all.length > says.length) says.push([`${second}`, all.at(-1) ?? ''])
  }
  const texts = says.map(([, text]) => text)
  expect(texts.slice(0, 2)).toEqual([
    'status: Five minutes left at this price.',
    'status: One minute left at this price.',
  ])
  expect(texts.length).toBeLessThanOrEqual(3)
  expect(problems).toEqual([])
  await close()
})

it('an instant is written in the zone of the buyer', async () => {
  const url = harness.put('zone')
  const { page, problems, close } = await openAsBuyer(browser, 'about:blank', { timezoneId: 'Asia/Tokyo' })
  const instant =
    '<time id="at" datetime="2026-03-01T23:30:00.000Z" data-local-time="en-GB">1 Mar 2026, 23:30 UTC</time>'
  await page.route(url, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replace('<footer>', `<footer>${instant}`) })
  })
  await page.goto(url)
  await expect.poll(() => page.locator('#at').innerText()).toBe('2 Mar 2026, 08:30 GMT+9')
  expect(problems).toEqual([])
  await close()
})
