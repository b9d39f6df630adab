import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { TestWallet } from '../chain/test-wallet.ts'

/** A phone as its browser presents itself. */
export const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  userAgent:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  hasTouch: true,
}

/** A page of a buyer with a browser of his own. */
export type BuyerPage = {
  readonly page: Page
  /** Errors in the console, errors of scripts, violations of the page's policy. */
  readonly problems: string[]
  close(): Promise<void>
}

/** What a buyer's page is opened with. */
export type BuyerOptions = BrowserContextOptions & {
  readonly wallets?: readonly TestWallet[]
  /** The time in the page can be moved: `page.clock`. */
  readonly hasClock?: boolean
  /** Runs in the page before its own scripts. */
  readonly initScript?: string
}

/** Opens `url` as a new buyer, with these wallets in the browser. */
export async function openAsBuyer(
  browser: Browser,
  url: string,
  options: BuyerOptions = {},
): Promise<BuyerPage> {
  const { wallets = [], hasClock = false, initScript, ...contextOptions } = options
  const context = await browser.newContext(contextOptions)
  // Ends what hangs; the web app is built when it is opened first, on a busy machine in half a minute.
  context.setDefaultTimeout(60_000)
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

/** What the page's two live regions have said since, in order; call before what is to be heard. */
export async function listen(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(`
    globalThis.said = []
    for (const region of document.querySelectorAll('#say, #warn')) {
      const hear = () => region.textContent && said.push(region.getAttribute('role') + ': ' + region.textContent)
      new MutationObserver(hear).observe(region, { childList: true, characterData: true, subtree: true })
    }`)
  return () => page.evaluate<string[]>('said')
}

/** The text of what has the focus. */
export function focusedText(page: Page): Promise<string | null> {
  return page.evaluate<string | null>('document.activeElement && document.activeElement.textContent')
}

/** How far down the page an element ends, without scrolling. */
export async function bottomOf(page: Page, selector: string): Promise<number> {
  const box = await page.locator(selector).first().boundingBox()
  if (!box) throw new Error(`${selector} is not visible`)
  return box.y + box.height
}

/** Has the page mark the moment at which a text is first visible in it, and how late its timers were until then. */
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

/** When it was, as this machine counts, less by how late the page's timers were: by a busy machine, or by the page's own work. */
export function shownAt(page: Page): Promise<number> {
  return page.evaluate<number>(`
    const [{ startTime, detail: late }] = performance.getEntriesByName('shown')
    performance.timeOrigin + startTime - late`)
}
