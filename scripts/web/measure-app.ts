import type { Browser, Page } from 'playwright-core'
import type { StartedService } from '../run/running-service.ts'

/** Waiting times of a merchant with many receipts, in milliseconds. */
export type AppLoad = {
  /** From the navigation to the first rows of the list, with an empty cache. */
  readonly firstRows: number
  /** Slowest interaction while the list is filtered (INP). */
  readonly slowest: number
}

const patienceMs = 60_000
const slowProcessor = { rate: 4 }
const workers = 16

const observe = `{
  globalThis.slowest = 0
  const look = () => { if (document.querySelector('[data-row]')) globalThis.rowsAt ??= performance.now() }
  new MutationObserver(look).observe(document, { subtree: true, childList: true })
  const isDone = ({ interactionId }) => interactionId > 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries().filter(isDone)) slowest = Math.max(slowest, entry.duration)
  }).observe({ type: 'event', durationThreshold: 16, buffered: true })
}`

/** Creates receipts through the API, several at a time. */
export async function makeReceipts(service: StartedService, count: number): Promise<void> {
  const headers = { 'content-type': 'application/json', 'ocp-apim-subscription-key': service.subscriptionKey }
  let next = 0
  const work = async () => {
    for (let i = next++; i < count; i = next++) {
      const lineItems = [{ label: `Coffee beans, sort ${i % 40}`, amount: 1 + (i % 500) }]
      const body = JSON.stringify({ id: `order-${String(i).padStart(5, '0')}`, currency: 'USD', lineItems })
      const response = await fetch(`${service.baseUrl}/api/receipts`, { method: 'POST', headers, body })
      if (!response.ok) throw new Error(`no receipt was made: ${response.status} ${await response.text()}`)
      await response.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
}

/** Signs in the demo merchant. Returns the state that signs in a new browser window. */
export async function signIn(browser: Browser, service: StartedService) {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(patienceMs)
    await page.goto(`${service.baseUrl}/app`)
    await page.getByRole('button', { name: /demo merchant/i }).click()
    await page.locator('main#content').waitFor()
    return await context.storageState()
  } finally {
    await context.close()
  }
}

/** Opens the receipt list once in a new window, with a four times slower processor, and filters it. */
export async function measureAppLoad(
  browser: Browser,
  service: StartedService,
  storageState: Awaited<ReturnType<typeof signIn>>,
): Promise<AppLoad> {
  const context = await browser.newContext({ storageState, viewport: { width: 1280, height: 900 } })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(patienceMs)
    await page.addInitScript(observe)
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', slowProcessor)
    await page.goto(`${service.baseUrl}/app/receipts`)
    await page.locator('[data-row]').first().waitFor()
    const firstRows = await page.evaluate<number>('rowsAt')
    await filter(page)
    return { firstRows, slowest: await page.evaluate<number>('slowest') }
  } finally {
    await context.close()
  }
}

/** Types into the search, opens the filters, and selects a filter and a tab. */
async function filter(page: Page): Promise<void> {
  await page.getByLabel('Search receipts').pressSequentially('order-0001', { delay: 60 })
  await page.waitForURL(/q=order-0001/)
  await page.getByRole('link', { name: 'order-00011' }).waitFor()
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByRole('combobox', { name: 'Currency' }).selectOption('USD')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.waitForURL(/currency=USD/)
  await page.getByRole('link', { name: /^Paid/ }).click()
  await page.getByText('No receipts found').waitFor()
  // The browser reports an interaction only after the next frame.
  await page.waitForTimeout(500)
}
