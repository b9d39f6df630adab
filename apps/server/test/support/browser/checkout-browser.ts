import type { BrowserContextOptions, Page } from 'playwright-core'
import type { TestWallet } from '../chain/test-wallet.ts'
import type { TestBrowser } from './browser.ts'

export const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  userAgent:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  hasTouch: true,
}

export type BuyerPage = {
  readonly page: Page
  /** Console errors, script errors and violations of the content security policy. */
  readonly problems: string[]
  close(): Promise<void>
}

export type BuyerOptions = BrowserContextOptions & {
  readonly wallets?: readonly TestWallet[]
  readonly hasClock?: boolean
  readonly initScript?: string
}

export async function openAsBuyer(
  browser: TestBrowser,
  url: string,
  { wallets = [], hasClock = false, initScript, ...contextOptions }: BuyerOptions = {},
): Promise<BuyerPage> {
  const context = await browser.newContext(contextOptions)
  // Shorter than a test's timeout, so that the error names the action that timed out.
  context.setDefaultTimeout(30_000)
  for (const wallet of wallets) await wallet.install(context)
  if (initScript) await context.addInitScript(initScript)
  const page = await context.newPage()
  if (hasClock) await page.clock.install()
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.text().includes('Content Security Policy'))
      problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  await page.goto(url)
  return { page, problems, close: () => context.close() }
}

/** Records the announcements of the page's live regions. Returns a function that lists them. */
export async function listen(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(`
    globalThis.said = []
    for (const region of document.querySelectorAll('#say, #warn')) {
      const hear = () => region.textContent && said.push(region.getAttribute('role') + ': ' + region.textContent)
      new MutationObserver(hear).observe(region, { childList: true, characterData: true, subtree: true })
    }`)
  return () => page.evaluate<string[]>('said')
}

export function focusedText(page: Page): Promise<string | null> {
  return page.evaluate<string | null>('document.activeElement && document.activeElement.textContent')
}

export async function bottomOf(page: Page, selector: string): Promise<number> {
  const box = await page.locator(selector).first().boundingBox()
  if (!box) throw new Error(`${selector} is not visible`)
  return box.y + box.height
}

/** Records when a text first becomes visible, and the delay of the page's timers until then. */
export async function markWhenShown(page: Page, text: string): Promise<void> {
  await page.evaluate(`
    let [late, last] = [0, performance.now()]
    const timer = setInterval(() => {
      const gap = performance.now() - last
      last += gap
      if (gap > 75) late += gap - 50
    }, 50)
    const look = () => {
      if (!document.body.innerText.includes(${JSON.stringify(text)})) return
      performance.mark('shown', { detail: late })
      clearInterval(timer)
      observer.disconnect()
    }
    const observer = new MutationObserver(look)
    observer.observe(document.documentElement, { subtree: true, childList: true, characterData: true, attributes: true })`)
}

/**
 * Returns when the text of {@link markWhenShown} appeared, in Unix milliseconds, without the timers' delay.
 */
export function shownAt(page: Page): Promise<number> {
  return page.evaluate<number>(`
    const [{ startTime, detail: late }] = performance.getEntriesByName('shown')
    performance.timeOrigin + startTime - late`)
}
