import { loadavg } from 'node:os'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../apps/server/test/support/browser/browser.ts'
import { type StartedService, startService } from './run/running-service.ts'
import { measureAppSizes } from './web/app-budgets.ts'
import { makeBenchPages } from './web/bench-pages.ts'
import { type AppLoad, makeReceipts, measureAppLoad, signIn } from './web/measure-app.ts'
import { type Load, measureLoad } from './web/measure-load.ts'

const help = `Usage: npm run bench:web [-- --runs N] [-- --only pages|app]

Starts a local service and loads the pages of a buyer in Chromium, with a processor four times slower, on slow 4G and
with nothing cached: the checkout, a paid receipt, a claim, a storefront and the start page, all with the same limits.
Prints the median of the runs beside the limit of each figure, with the load of the machine, and exits with code 1 if
a limit is exceeded. A machine that is busy with other work exceeds some. Of the figures that need a wallet, pages
without wallets have none.

Then what the web app loads, after gzip, from a build of it; and with 10,000 receipts, which are made first, when its
list of receipts shows rows, and how slow the slowest interaction is while the list is filtered.

  --runs N  loads of each page (default: 7)
  --only    only the pages of a buyer, or only the web app
`

/** Limits of a page, in milliseconds and compressed bytes. */
const limits = {
  'JavaScript on first load': { of: (load: Load) => load.scriptBytes, limit: 12 * 1024, unit: 'kB' },
  'HTML and CSS': { of: (load: Load) => load.documentBytes, limit: 14 * 1024, unit: 'kB' },
  'first contentful paint': { of: (load: Load) => load.firstPaint, limit: 800, unit: 'ms' },
  'largest contentful paint': { of: (load: Load) => load.largestPaint, limit: 800, unit: 'ms' },
  'wallet list': { of: (load: Load) => load.walletList, limit: 1_200, unit: 'ms' },
  'total blocking time': { of: (load: Load) => load.blocked, limit: 50, unit: 'ms' },
  'cumulative layout shift': { of: (load: Load) => load.shift, limit: 0.02, unit: '' },
} as const
/** Limits of the web app, in bytes after gzip and in milliseconds. */
const appLimits = { shell: 130 * 1024, route: 40 * 1024, css: 14 * 1024, firstRows: 1_000, slowest: 200 }
const manyReceipts = 10_000
const serverLimitMs = 50
const serverRequests = 200

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '7' },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(help)
else process.exitCode = (await bench(Number(values.runs))) ? 0 : 1

async function bench(runs: number): Promise<boolean> {
  const service = await startService({ RATE_LIMIT_SCALE: '0' })
  const browser = await launchBrowser()
  try {
    const arePagesWithin = values.only === 'app' || (await benchPages(browser, service, runs))
    const isAppWithin = values.only === 'pages' || (await benchApp(browser, service, runs))
    return arePagesWithin && isAppWithin
  } finally {
    await browser.close()
    await service.stop()
  }
}

async function benchPages(browser: Browser, service: StartedService, runs: number): Promise<boolean> {
  let isWithin = true
  for (const [name, url] of Object.entries(await makeBenchPages(service))) {
    console.log(`\n${name}: median of ${runs}, load of the machine ${loadavg()[0]?.toFixed(1)}`)
    const loads: Load[] = []
    for (let i = 0; i < runs; i++) loads.push(await measureLoad(browser, url, '*/assets/demo-wallet.*'))
    for (const [figure, { of, limit, unit }] of Object.entries(limits)) {
      const value = medianOf(loads.map(of))
      isWithin = print(figure, value, limit, unit) && isWithin
    }
    const p95 = await serverTime(url)
    isWithin = print('server time to HTML, p95', p95, serverLimitMs, 'ms') && isWithin
  }
  return isWithin
}

async function benchApp(browser: Browser, service: StartedService, runs: number): Promise<boolean> {
  const sizes = await measureAppSizes(service.dataDir)
  console.log(`\nweb app, gzipped; the largest screen is ${sizes.routeName}`)
  const areSmall = [
    print('JavaScript before a screen', sizes.shell, appLimits.shell, 'kB'),
    print('JavaScript of a screen', sizes.route, appLimits.route, 'kB'),
    print('CSS', sizes.css, appLimits.css, 'kB'),
  ]
  await makeReceipts(service, manyReceipts)
  const signedIn = await signIn(browser, service)
  console.log(
    `\nweb app, ${manyReceipts} receipts: median of ${runs}, load of the machine ${loadavg()[0]?.toFixed(1)}`,
  )
  const loads: AppLoad[] = []
  for (let i = 0; i < runs; i++) loads.push(await measureAppLoad(browser, service, signedIn))
  const areQuick = (['firstRows', 'slowest'] as const).map((figure) => {
    const name = figure === 'firstRows' ? 'first rows' : 'INP while filtering'
    return print(name, medianOf(loads.map((load) => load[figure])), appLimits[figure], 'ms')
  })
  return [...areSmall, ...areQuick].every(Boolean)
}

/** Returns the 95th percentile of the time from the request to the last byte of the compressed document. */
async function serverTime(url: string): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < serverRequests; i++) {
    const start = performance.now()
    await (await fetch(url, { headers: { 'accept-encoding': 'gzip' } })).arrayBuffer()
    times.push(performance.now() - start)
  }
  return times.sort((a, b) => a - b)[Math.floor(serverRequests * 0.95)] ?? Number.NaN
}

/** Returns the median, or `undefined` if no load of the page has this figure. */
function medianOf(figures: readonly (number | undefined)[]): number | undefined {
  if (figures.every((figure) => figure === undefined)) return undefined
  const known = figures.map((figure) => figure ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b)
  return known[Math.floor(known.length / 2)]
}

function print(figure: string, value: number | undefined, limit: number, unit: string): boolean {
  if (value === undefined) {
    console.log(`  ${figure.padEnd(28)}${'none here'.padStart(10)}`)
    return true
  }
  const isWithin = value <= limit
  const text = (number: number) =>
    unit === 'kB'
      ? `${(number / 1024).toFixed(1)} kB`
      : unit === 'ms'
        ? `${number.toFixed(0)} ms`
        : number.toFixed(3)
  console.log(
    `  ${figure.padEnd(28)}${text(value).padStart(10)}  of ${text(limit).padStart(9)}  ${isWithin ? 'ok' : 'TOO MUCH'}`,
  )
  return isWithin
}
