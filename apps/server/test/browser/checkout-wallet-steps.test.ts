import axe from 'axe-core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { type CheckoutHarness, startCheckoutHarness } from '../support/browser/checkout-harness.ts'

let harness: CheckoutHarness
let browser: Browser
beforeAll(async () => {
  ;[harness, browser] = await Promise.all([
    startCheckoutHarness({ walletConnectProject: 'test-project' }),
    launchBrowser(),
  ])
})
afterAll(async () => {
  await browser?.close()
  await harness?.close()
})

/** Every step of a payment by a wallet that a page can show. */
const stepNames = `[...document.querySelectorAll('template[data-step]')].map((it) => it.dataset.step)
  .filter((name) => !['wallet-first', 'wallet-more'].includes(name))`

/** Puts a step into the page as its script does, with long values in every gap. */
const showStep = (name: string) => `(() => {
  const step = document.querySelector('template[data-step=${name}]').content.cloneNode(true)
  for (const gap of step.querySelectorAll('[data-slot]')) gap.textContent = '0x' + 'W'.repeat(64)
  for (const link of step.querySelectorAll('a[data-href]')) link.href = 'https://explorer.example/'
  document.querySelector('#stage').replaceChildren(step)
})()`

it('every step of a payment by a wallet has a head that says what is so, and violates nothing of WCAG 2.2 AA', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, problems, close } = await openAsBuyer(browser, harness.put('steps'), { colorScheme })
    const names = await page.evaluate<string[]>(stepNames)
    expect(names.length).toBeGreaterThan(20)
    await page.evaluate(axe.source)
    for (const name of names) {
      await page.evaluate(showStep(name))
      expect(await page.locator('#stage h2').count(), name).toBe(1)
      expect(await page.locator('#stage .head p').innerText(), name).not.toBe('')
      const found = await page.evaluate<string[]>(`
        axe.run('#stage', { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
          .then(({ violations }) => violations.map((it) => it.id + ': ' + it.nodes.map((node) => node.html).join(' ')))`)
      expect(found, name).toEqual([])
    }
    expect(problems).toEqual([])
    await close()
  }
})

it('no step scrolls sideways at 320 pixels, and its buttons are 44 pixels high', async () => {
  const viewport = { width: 320, height: 700 }
  const { page, close } = await openAsBuyer(browser, harness.put('narrow-steps'), { viewport })
  for (const name of await page.evaluate<string[]>(stepNames)) {
    await page.evaluate(showStep(name))
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate(overflow), name).toBe(0)
    const heights = await page.evaluate<number[]>(`
      [...document.querySelectorAll('#stage button, #stage .button')].filter((it) => it.checkVisibility())
        .map((it) => it.getBoundingClientRect().height)`)
    for (const height of heights) expect(height, name).toBeGreaterThanOrEqual(44)
  }
  await close()
})
