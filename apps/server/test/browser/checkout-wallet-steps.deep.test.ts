import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { locales } from '../../src/pages/messages/locales.ts'
import { translator } from '../../src/pages/messages/translator.ts'
import { walletSteps } from '../../src/pages/panels/wallet-steps.ts'
import { openBrowser, type TestBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { type PageHarness, startPageHarness } from '../support/browser/page-harness.ts'

let harness: PageHarness
let browser: TestBrowser
beforeAll(async () => {
  ;[harness, browser] = await Promise.all([
    startPageHarness({ walletConnectProject: 'test-project' }),
    openBrowser(),
  ])
})
afterAll(async () => {
  await browser?.close()
  await harness?.close()
})

const slots = Object.fromEntries(
  'wallet current amount symbol coin reason chain brand hash explorer message twice have need missing rpc chainId app uri'
    .split(' ')
    .map((name) => [name, `0x${'W'.repeat(64)}`]),
)

it('every step of a payment by a wallet has a head that says what is so, and violates nothing of WCAG 2.2 AA', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, problems, close } = await openAsBuyer(browser, harness.put('steps'), { colorScheme })
    const names = await loadSteps(page)
    expect(names.length).toBeGreaterThan(20)
    await page.evaluate(axe.source)
    for (const name of names) {
      await showStep(page, name, slots)
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
  const names = await loadSteps(page)
  expect(names.length).toBeGreaterThan(20)
  for (const name of names) {
    await showStep(page, name, slots)
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate(overflow), name).toBe(0)
    const heights = await page.evaluate<number[]>(`
      [...document.querySelectorAll('#stage button, #stage .button')].filter((it) => it.checkVisibility())
        .map((it) => it.getBoundingClientRect().height)`)
    for (const height of heights) expect(height, name).toBeGreaterThanOrEqual(44)
  }
  await close()
})

it.each(
  locales,
)('in %s an amount runs as the page does, and a name of others as its own letters do', (locale) => {
  const steps = String(walletSteps(translator(locale), { hasWalletConnect: true }))
  const slots = [...steps.matchAll(/<bdi data-slot="([a-zA-Z]+)"([^>]*)>/g)]
  const amounts = ['amount', 'have', 'need', 'missing']
  const found = new Set(slots.map(([, name]) => name))
  expect(amounts.filter((name) => !found.has(name))).toEqual([])
  const ownWay = ` dir="${locale === 'ar' ? 'rtl' : 'ltr'}"`
  for (const [, name = '', way] of slots)
    expect([name, way]).toEqual([name, amounts.includes(name) ? ownWay : ''])
})

async function loadSteps(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`
    fetch(document.querySelector('#panel').dataset.steps).then((response) => response.text()).then((text) => {
      const page = new DOMParser().parseFromString(text, 'text/html')
      document.body.append(...page.querySelectorAll('template'))
      return [...document.querySelectorAll('template[data-step]')]
        .filter((it) => it.content.querySelector('.head')).map((it) => it.dataset.step)
    })`)
}

/** Shows a step as the page's script does: removes each part whose slot is empty. */
async function showStep(page: Page, step: string, slots: Readonly<Record<string, string>>): Promise<void> {
  await page.evaluate(
    `(({ step, slots }) => {
      const content = document.querySelector('template[data-step="' + step + '"]').content.cloneNode(true)
      for (const part of content.querySelectorAll('[data-if]')) if (!slots[part.dataset.if]) part.remove()
      for (const gap of content.querySelectorAll('[data-slot]')) gap.textContent = slots[gap.dataset.slot] ?? ''
      for (const link of content.querySelectorAll('a[data-href]')) link.href = '#'
      document.getElementById('stage').replaceChildren(content)
    })(${JSON.stringify({ step, slots })})`,
  )
}
