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
