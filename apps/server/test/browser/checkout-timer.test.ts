import { expect, it } from 'vitest'
import { listen } from '../support/browser/checkout-browser.ts'
import { startCheckoutStage } from '../support/browser/checkout-stage.ts'
import { makeAttempt } from '../support/browser/checkout-views.ts'
import { perFile } from '../support/per-file.ts'

const stage = perFile(() => startCheckoutStage())

it('point 25: the time left is said at five minutes, at one, and when it is over; never in between', async () => {
  const url = stage.harness.put('timer', (now) => ({ attempt: makeAttempt('USDC', now) }))
  const { page, close } = await stage.open(url, { hasClock: true })
  await page.clock.pauseAt(Date.now() + 60_000)
  const hear = await listen(page)
  // A clock that runs ahead of the service makes the page believe that nothing has been heard of it for long.
  const heard = async () => (await hear()).filter((text) => !text.includes('You are offline'))
  const left = async () => {
    const [minutes = 0, seconds = 0] = (await page.locator('[data-left-ms]').innerText())
      .split(':')
      .map(Number)
    return minutes * 60 + seconds
  }
  expect(await left()).toBeGreaterThan(800)
  const said: (readonly [text: string | undefined, left: number])[] = []
  while ((await left()) > 1) {
    await page.clock.runFor(1_000)
    const all = await heard()
    if (all.length > said.length) said.push([all.at(-1), await left()])
  }
  expect(said.map(([text]) => text)).toEqual([
    'status: Five minutes left at this price.',
    'status: One minute left at this price.',
  ])
  for (const [i, mark] of [300, 60].entries())
    expect(Math.abs((said[i]?.[1] ?? 0) - mark)).toBeLessThanOrEqual(1)

  // The service's own clock has not moved: it is told what became of the price.
  stage.harness.put('timer', { payment: { state: 'expired' } })
  await page.clock.runFor(2_000)
  await page.getByRole('heading', { name: 'This price has expired' }).waitFor()
  const texts = await heard()
  expect(texts).toHaveLength(3)
  expect(texts[2]).toMatch(/^status: This price has expired\. /)
  await close()
})

it('point 44: none of this leaves an error in the console or a report of the policy', () => {
  expect(stage.problems).toEqual([])
})
