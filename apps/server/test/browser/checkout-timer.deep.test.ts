import { expect, it } from 'vitest'
import { listen } from '../support/browser/checkout-browser.ts'
import { startCheckoutStage } from '../support/browser/checkout-stage.ts'
import { makeAttempt } from '../support/browser/checkout-views.ts'
import { perFile } from '../support/per-file.ts'

const stage = perFile(() => startCheckoutStage())

/** Runs in the page: records each announcement with the remaining time. */
const recordTimeLeft = `
  globalThis.timeLeft = []
  const clock = document.querySelector('[data-left-ms]')
  for (const region of document.querySelectorAll('#say, #warn'))
    new MutationObserver(() => region.textContent && timeLeft.push([region.textContent, clock.textContent]))
      .observe(region, { childList: true, characterData: true, subtree: true })`

function secondsOf(text: string): number {
  const [minutes = 0, seconds = 0] = text.split(':').map(Number)
  return minutes * 60 + seconds
}

it('point 25: the time left is said at five minutes, at one, and when it is over; never in between', async () => {
  const url = stage.harness.put('timer', (now) => ({ attempt: makeAttempt('USDC', now) }))
  const { page, close } = await stage.open(url, { hasClock: true })
  await page.clock.pauseAt(Date.now() + 60_000)
  const hear = await listen(page)
  // The page's clock is ahead of the service's, so the page considers the service unreachable.
  const isOfTime = (text: string) => !text.includes('You are offline')
  const heard = async () => (await hear()).filter(isOfTime)
  await page.evaluate(recordTimeLeft)
  const left = async () => secondsOf(await page.locator('[data-left-ms]').innerText())
  expect(await left()).toBeGreaterThan(800)
  while ((await left()) > 1) await page.clock.runFor(Math.min(10, (await left()) - 1) * 1_000)
  const recorded = await page.evaluate<[text: string, left: string][]>('timeLeft')
  const said = recorded.filter(([text]) => isOfTime(text))
  expect(await heard()).toEqual([
    'status: This price expires in five minutes.',
    'status: This price expires in one minute.',
  ])
  for (const [i, mark] of [300, 60].entries())
    expect(Math.abs(secondsOf(said[i]?.[1] ?? '') - mark)).toBeLessThanOrEqual(1)

  stage.harness.put('timer', { payment: { state: 'expired' } })
  const expired = page.getByRole('heading', { name: 'This price has expired' })
  const isExpired = async () => {
    await page.clock.runFor(1_000)
    return expired.isVisible()
  }
  await expect.poll(isExpired).toBe(true)
  const texts = await heard()
  expect(texts).toHaveLength(3)
  expect(texts[2]).toMatch(/^status: This price has expired\. /)
  await close()
})

it('point 44: none of this leaves an error in the console or a report of the policy', () => {
  expect(stage.problems).toEqual([])
})
