import type { Browser, CDPSession } from 'playwright-core'
import { announceWallet } from './announce-wallet.ts'

/**
 * Measurements of one page load on a slow phone with a slow connection: times in milliseconds, transferred
 * sizes in bytes.
 */
export type Load = {
  readonly firstPaint: number
  readonly largestPaint: number
  /** Total blocking time: the sum of each long task's time beyond 50 ms. */
  readonly blocked: number
  readonly shift: number
  /** When the first wallet button appeared. `undefined` on a page without wallets. */
  readonly walletList: number | undefined
  readonly scriptBytes: number
  /** Size of the document and the stylesheets. */
  readonly documentBytes: number
  readonly requests: number
}

/** Lighthouse's slow 4G profile. */
const slowLine = { latency: 150, downloadThroughput: (1.6e6 / 8) * 0.9, uploadThroughput: (750e3 / 8) * 0.9 }
const slowProcessor = { rate: 4 }

const observe = `{
  const seen = globalThis.seen = { largest: 0, shift: 0, blocked: 0, wallet: undefined }
  const on = (type, add) => new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({ type, buffered: true })
  on('largest-contentful-paint', (entry) => { seen.largest = entry.startTime })
  on('layout-shift', (entry) => { if (!entry.hadRecentInput) seen.shift += entry.value })
  on('longtask', (entry) => { seen.blocked += Math.max(0, entry.duration - 50) })
  new MutationObserver(() => {
    if (seen.wallet === undefined && document.querySelector('[data-act=wallet], [data-wallets] button')) seen.wallet = performance.now()
  }).observe(document, { childList: true, subtree: true })
}`

/**
 * Loads `url` once, with an empty cache, until all measurements are complete.
 *
 * @param skip - URL pattern (with `*`) of files to block because they are not part of the product: the demo
 *   wallet.
 */
export async function measureLoad(browser: Browser, url: string, skip: string): Promise<Load> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 })
  try {
    const page = await context.newPage()
    await page.addInitScript(announceWallet)
    await page.addInitScript(observe)
    const session = await context.newCDPSession(page)
    const transferred = await countBytes(session)
    await session.send('Network.setBlockedURLs', { urls: [skip] })
    await session.send('Network.emulateNetworkConditions', { offline: false, ...slowLine })
    await session.send('Emulation.setCPUThrottlingRate', slowProcessor)
    await page.goto(url, { waitUntil: 'load' })
    // Wallets are listed within half a second after the script starts; paints and layout shifts happen
    // earlier.
    await page.waitForTimeout(1_500)
    const seen = await page.evaluate<{ largest: number; shift: number; blocked: number; wallet?: number }>(
      'seen',
    )
    const firstPaint = await page.evaluate<number>(
      "performance.getEntriesByName('first-contentful-paint')[0].startTime",
    )
    return {
      firstPaint,
      largestPaint: seen.largest,
      blocked: seen.blocked,
      shift: seen.shift,
      walletList: seen.wallet,
      ...transferred(),
    }
  } finally {
    await context.close()
  }
}

/** Counts the transferred bytes by resource type, including headers. */
async function countBytes(session: CDPSession) {
  const typeOf = new Map<string, string>()
  const sizeOf = new Map<string, number>()
  session.on('Network.responseReceived', ({ requestId, type }) => typeOf.set(requestId, type))
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    sizeOf.set(requestId, encodedDataLength),
  )
  await session.send('Network.enable')
  const sum = (...types: string[]) =>
    [...sizeOf].reduce((total, [id, size]) => total + (types.includes(typeOf.get(id) ?? '') ? size : 0), 0)
  return () => ({
    scriptBytes: sum('Script'),
    documentBytes: sum('Document', 'Stylesheet'),
    requests: typeOf.size,
  })
}
