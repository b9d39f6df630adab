import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { signWith } from '../support/browser/claim-states.ts'
import { startPageStand } from '../support/browser/page-stand.ts'
import { openState } from '../support/browser/page-states.ts'
import { perFile } from '../support/per-file.ts'

const stand = perFile(startPageStand)
const browser = perFile(openBrowser)

async function listen(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(`
    globalThis.said = []
    for (const region of document.querySelectorAll('#say, [data-fault]')) {
      const hear = () => !region.hidden && region.textContent && said.push(region.getAttribute('role') + ': ' + region.textContent)
      new MutationObserver(hear).observe(region, { childList: true })
    }`)
  return () => page.evaluate<string[]>('said')
}

describe('point 37: a claim by the wallet', () => {
  test('tells each step once as a status, and what went wrong once as an alert', async () => {
    const { page, problems, close } = await openAsBuyer(browser, 'about:blank')
    await openState(page, stand, 'claim-found')
    expect(await page.locator('[role=status]').count()).toBe(1)
    const heard = await listen(page)
    await signWith(page, 'refuse')
    await expect
      .poll(heard)
      .toEqual([
        'status: Open your wallet and connect it to this page.',
        'status: Sign the message in your wallet.',
        'alert: You declined the request in your wallet. Nothing was sent.',
      ])
    expect(await page.locator('[data-step]').isVisible()).toBe(false)
    expect(problems).toEqual([])
    await close()
  })

  test('says when the wallet has another account, and can be tried again at once', async () => {
    const { page, close } = await openAsBuyer(browser, 'about:blank')
    await openState(page, stand, 'claim-found')
    await page.evaluate("globalThis.account = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'")
    await page.locator('[data-wallets] button').click()
    const error = page.locator('[data-fault]')
    await error.waitFor()
    const first = await error.innerText()
    await page.evaluate('globalThis.account = undefined')
    await signWith(page, 'refuse')
    await expect.poll(() => error.innerText()).not.toBe(first)
    await close()
  })
})
