import { describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser/browser.ts'
import { openAsBuyer } from '../support/browser/checkout-browser.ts'
import { startPageHarness } from '../support/browser/page-harness.ts'
import { caseNumber, makeCase, makeClaimable } from '../support/browser/receipt-views.ts'
import { type ThemeName, themes } from '../support/browser/themes.ts'
import { findFaintText, violations } from '../support/browser/violations.ts'
import { perFile } from '../support/per-file.ts'

const harness = perFile(startPageHarness)
const browser = perFile(openBrowser)
const payment = makeClaimable()

describe('point 42: receipt, claim, start page and errors in a theme', () => {
  test.each(Object.keys(themes) as ThemeName[])('%s can be read, whatever was chosen', async (name) => {
    harness.looks.theme = themes[name]
    harness.claims.payments = [payment]
    harness.claims.cases.set(caseNumber, makeCase())
    const paths = [
      harness.putReceipt('themed').replace(harness.url, ''),
      '/claim',
      `/claim?hash=${payment.transactionHash}`,
      `/claim/${caseNumber}`,
      '/',
      '/pay/nothing',
    ]
    const { page, close } = await openAsBuyer(browser, 'about:blank')
    for (const path of paths) {
      await page.goto(harness.url + path)
      await page.evaluate("document.querySelectorAll('details').forEach((it) => (it.open = true))")
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await violations(page), `${path}, ${colorScheme}`).toEqual([])
        expect(await findFaintText(page), `${path}, ${colorScheme}`).toEqual([])
      }
    }
    await close()
  })
})
