import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../support/browser/browser.ts'
import { type BuyerOptions, listen, openAsBuyer } from '../support/browser/checkout-browser.ts'
import { addresses } from '../support/browser/checkout-views.ts'
import { type PageHarness, startPageHarness } from '../support/browser/page-harness.ts'

let harness: PageHarness
let browser: Browser
beforeAll(async () => {
  // The browser treats this host as public, so its HTTP page has no secure context.
  const args = ['--host-resolver-rules=MAP shop.example 127.0.0.1']
  ;[harness, browser] = await Promise.all([startPageHarness(), launchBrowser({ args })])
})
afterAll(async () => {
  await browser?.close()
  await harness?.close()
})

const withClipboard: BuyerOptions = { permissions: ['clipboard-read', 'clipboard-write'] }
/** Runs in the page: records the text that each of the two copy methods copies. */
const keepCopied = `
  addEventListener('copy', () => (globalThis.copied = String(document.activeElement.value)))`
const withoutCopy = `${keepCopied}; document.execCommand = () => false`

describe('point 4: a copy button', () => {
  it('puts the bare amount and the checksummed address into the clipboard, and says so', async () => {
    const { page, problems, close } = await openAsBuyer(browser, harness.put('copy'), withClipboard)
    const heard = await listen(page)
    const read = () => page.evaluate<string>('navigator.clipboard.readText()')
    await page.getByRole('button', { name: 'Copy amount' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await read()).toBe('25')
    await page.getByRole('button', { name: 'Copy address' }).click()
    await expect.poll(read).toBe(addresses.deposit)
    await expect.poll(heard).toEqual(['status: Copied', 'status: Copied'])
    await page.getByRole('button', { name: 'Copy amount' }).waitFor()
    expect(problems).toEqual([])
    await close()
  })

  it('works on plain http as well, and keeps the focus', async () => {
    const url = harness.put('http').replace('127.0.0.1', 'shop.example')
    const { page, problems, close } = await openAsBuyer(browser, url, { initScript: keepCopied })
    expect(await page.evaluate('isSecureContext')).toBe(false)
    await page.getByRole('button', { name: 'Copy address' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('copied')).toBe(addresses.deposit)
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Copied')
    expect(problems).toEqual([])
    await close()
  })

  it('selects the text where the browser copies nothing, and says that it did', async () => {
    const url = harness.put('none').replace('127.0.0.1', 'shop.example')
    const { page, problems, close } = await openAsBuyer(browser, url, { initScript: withoutCopy })
    const heard = await listen(page)
    await page.getByRole('button', { name: 'Copy address' }).click()
    await expect.poll(() => page.evaluate('String(getSelection())')).toBe(addresses.deposit)
    await expect.poll(async () => (await heard()).at(-1)).toMatch(/^status: The text is selected\./)
    expect(await page.getByRole('button', { name: 'Copied' }).count()).toBe(0)
    expect(problems).toEqual([])
    await close()
  })
})
