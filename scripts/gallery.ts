import { mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { runPay } from '../apps/server/src/local/demo/run-pay.ts'
import { launchBrowser, type TestBrowser } from '../apps/server/test/support/browser/browser.ts'
import { startPageStand } from '../apps/server/test/support/browser/page-stand.ts'
import { openState } from '../apps/server/test/support/browser/page-states.ts'
import { logInOwner, type OwnerApi } from '../apps/server/test/support/browser/signed-in.ts'
import { logoPicture } from '../apps/server/test/support/browser/themes.ts'
import { type StartedService, startService } from './run/running-service.ts'
import { repositoryRoot } from './source/list-files.ts'

const help = `Usage: npm run gallery [-- --only NAME] [-- --out DIR]

Takes the pictures that the documents show: of pages of a buyer, on a phone, and of screens of the web app of a local
service that it starts, on a desktop; and the checkout of the README.

  --only NAME  only this picture (can be repeated)
  --out DIR    in place of docs/images`

/** Paths of screens whose path differs from the picture's name. */
const screens: Readonly<Record<string, string>> = {
  'new-link': '/payment-links/new',
  receipt: '/receipts/web-1',
  'new-refund': '/refunds/new?receiptId=web-2',
  'new-order': '/orders/new',
  'split-recipients': '/split/recipients',
  'shop-look': '/shop/look',
  deliveries: '/developers/deliveries',
  'webhook-test': '/developers/webhook-test',
  events: '/developers/events',
  requests: '/developers/requests',
  snippets: '/developers/snippets',
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    out: { type: 'string', default: join(repositoryRoot, 'docs/images') },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(help)
else await takeGallery()

async function takeGallery(): Promise<void> {
  const browser = await launchBrowser()
  try {
    const pages = listPictures('pages')
    if (pages.length > 0) await takePages(browser, pages)
    await takeScreens(browser)
  } finally {
    await browser.close()
  }
}

/** Returns the pictures in a folder; these are the ones that the documents show. */
function listPictures(folder: string): string[] {
  return readdirSync(join(repositoryRoot, 'docs/images', folder))
    .map((name) => name.replace('.webp', ''))
    .filter(isWanted)
}

function isWanted(name: string): boolean {
  return values.only?.includes(name) ?? true
}

async function takePages(browser: TestBrowser, names: readonly string[]): Promise<void> {
  const stand = await startPageStand()
  try {
    stand.looks.picture = await logoPicture()
    for (const name of names) {
      const open = (page: Page) => openState(page, stand, name, 'en')
      await photograph(browser, `pages/${name}.webp`, { width: 360, height: 1_100, quality: 45 }, open)
    }
  } finally {
    await stand.close()
  }
}

async function takeScreens(browser: TestBrowser): Promise<void> {
  const names = listPictures('dashboard')
  if (names.length === 0 && !isWanted('checkout')) return
  const service = await startService({ RATE_LIMIT_SCALE: '0' })
  const size = { width: 1280, height: 900, quality: 40 }
  try {
    const owner = await logInOwner(service)
    const { checkout, ...found } = await trade(service, owner)
    for (const name of names) {
      const path = found[name] ?? screens[name] ?? (name === 'sign-in' ? '/' : `/${name}`)
      await photograph(browser, `dashboard/${name}.webp`, size, async (page) => {
        if (name !== 'sign-in') await page.context().addCookies(cookiesOf(service, owner))
        await page.goto(`${service.baseUrl}/app${path}`)
        await page.locator('h1').first().waitFor()
        await page.waitForLoadState('networkidle')
      })
    }
    if (isWanted('checkout') && checkout !== undefined)
      await photograph(browser, 'checkout.png', { width: 1200, height: 860, quality: 90 }, async (page) => {
        await page.goto(checkout, { waitUntil: 'networkidle' })
      })
  } finally {
    await service.stop()
  }
}

function cookiesOf({ baseUrl }: StartedService, { cookie }: OwnerApi) {
  return cookie.split('; ').map((each) => {
    const [name = '', ...value] = each.split('=')
    return { name, value: value.join('='), url: baseUrl }
  })
}

/**
 * Creates receipts, payments and an order of the demo merchant. Returns the paths of their screens by picture
 * name, and the URL of a checkout.
 */
async function trade(service: StartedService, owner: OwnerApi): Promise<Readonly<Record<string, string>>> {
  const headers = { 'content-type': 'application/json', 'ocp-apim-subscription-key': service.subscriptionKey }
  const make = async (id: string, ...lines: readonly (readonly [label: string, amount: number])[]) => {
    const lineItems = lines.map(([label, amount]) => ({ label, amount }))
    const body = JSON.stringify({
      id,
      currency: 'USD',
      lineItems,
      webhook_url: 'https://shop.example/orders',
    })
    const response = await fetch(`${service.baseUrl}/api/receipts`, { method: 'POST', headers, body })
    return ((await response.json()) as { paymentUrl: string }).paymentUrl
  }
  const pay = (url: string, token: string) =>
    runPay({}, { url, token, way: 'transfer', dataDir: service.dataDir }, () => {})
  await pay(await make('web-1', ['Colombia La Palma, 1 kg', 34], ['Paper filters', 6.5]), 'USDC')
  await pay(await make('web-2', ['Hand grinder', 89], ['Kenya Nyeri, 250 g', 14]), 'USDT')
  await make('web-3', ['Night Watch espresso, 1 kg', 36], ['Shipping', 5.9])
  await make('web-4', ['Gift card', 50])
  await owner.send('POST', '/api/receipts/web-4/cancel', {})
  const { items } = await owner.send('GET', '/api/inventory')
  const bought = [{ sku: items[0].sku, qty: 1 }]
  const order = await owner.send('POST', '/api/orders', { items: bought, jurisdictionCode: 'US-CA' })
  await pay(order.paymentUrl, 'USDC')
  const { deliveries } = await owner.send('GET', '/api/webhooks/deliveries')
  return {
    order: `/orders/${order.receiptId}`,
    delivery: `/developers/deliveries/${deliveries[0]?.id}`,
    checkout: await make('coffee-1001', ['Espresso beans, 1 kg', 76], ['Pour-over kettle', 64.5]),
  }
}

type Size = { readonly width: number; readonly height: number; readonly quality: number }

async function photograph(
  browser: TestBrowser,
  file: string,
  { width, height, quality }: Size,
  open: (page: Page) => Promise<void>,
): Promise<void> {
  const viewport = { width, height }
  const page = await browser.newPage({ viewport, reducedMotion: 'reduce', bypassCSP: true })
  try {
    await open(page)
    await page.evaluate('document.fonts.ready')
    const picture = sharp(await page.screenshot({ animations: 'disabled' }))
    const path = join(values.out, file)
    mkdirSync(dirname(path), { recursive: true })
    await (file.endsWith('.webp') ? picture.webp({ quality, effort: 6 }) : picture.png()).toFile(path)
    console.log(file)
  } finally {
    await page.close()
  }
}
