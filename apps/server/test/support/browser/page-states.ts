import type { Cents, TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Page } from 'playwright-core'
import { ApiError } from '../../../src/kernel/api-error.ts'
import { Outage } from '../../../src/kernel/outage.ts'
import { sandboxPath } from '../../../src/onramp/sandbox/sandbox-provider.ts'
import type { SandboxSession } from '../../../src/onramp/sandbox/session.ts'
import type { ReceiptView } from '../../../src/payments/tracking/receipt-view.ts'
import { addresses } from './checkout-views.ts'
import { claimStates } from './claim-states.ts'
import type { PageHarness } from './page-harness.ts'
import { at, type PageStand, type PageState } from './page-stand.ts'
import { madeBuyer, madePayment, makeLines, makeTracker, transactionHash } from './receipt-views.ts'
import { type ShelfShop, shelfShop } from './shelf-stores.ts'

export async function openState(page: Page, stand: PageStand, name: string, language = 'en'): Promise<void> {
  const state = pageStates[name]
  if (!state) throw new Error(`there is no state ${name}: ${Object.keys(pageStates).join(', ')}`)
  stand.reset()
  const url = new URL(state.put(stand))
  if (language !== 'en') url.searchParams.set('lang', language)
  if (state.initScript) await page.addInitScript(state.initScript)
  if (state.cookie) await page.context().addCookies([{ name: 'cart', value: state.cookie, url: url.origin }])
  const response = await page.goto(url.href, { waitUntil: 'load' })
  const { status = 200 } = state
  if (response?.status() !== status) throw new Error(`${name}: ${response?.status()}, not ${status}`)
  await state.act?.(page)
  await page.evaluate('document.fonts.ready')
}

const refund = { kind: 'price', usd: 20, transactionHash, at: Date.UTC(2025, 10, 24) } as const
const unpaid = { payments: [], tracker: null, paidAt: null } as const

export const euroReceipt: Partial<ReceiptView> = {
  currency: 'EUR',
  totals: { total: 80.4, totalUsd: 87.2, feeUsd: 0.44, customerTotalUsd: 87.64 },
  valuation: { unit: 'EUR', usdPerUnit: 1.0846, quotedAt: Date.UTC(2025, 10, 21, 8), provider: 'ecb' },
}

export const receiptViews: Readonly<Record<string, Partial<ReceiptView>>> = {
  'receipt-paid': {},
  'receipt-on-its-way': { tracker: makeTracker(['done', 'done', 'now'], 'waiting') },
  'receipt-held': { tracker: makeTracker(['done', 'done', 'done', 'done'], 'held') },
  'receipt-reversed': {
    standing: 'reversed',
    tracker: makeTracker(['done', 'stopped'], 'waiting'),
    payments: [{ ...madePayment, isReversed: true }],
  },
  'receipt-refund-requested': { standing: 'refund-requested' },
  'receipt-partly-refunded': {
    standing: 'partly-refunded',
    refunds: [{ ...refund, state: 'sent' }],
    ...euroReceipt,
  },
  'receipt-refunded': {
    standing: 'refunded',
    refunds: [{ ...refund, state: 'recorded', transactionHash: null }],
  },
  'receipt-private': { buyer: madeBuyer },
  'receipt-many-lines': { lines: makeLines(15) },
  'receipt-without-chain': { payments: [], tracker: null },
  'receipt-several-payments': {
    payments: [madePayment, { ...madePayment, isLate: true, payer: null }],
    paymentsOmitted: 3,
  },
  'receipt-unpaid': { standing: 'unpaid', ...unpaid },
  'receipt-bank-pending': { standing: 'bank-pending', ...unpaid },
  'receipt-cancelled': { standing: 'cancelled', ...unpaid },
}

const receiptStates = Object.fromEntries(
  Object.entries(receiptViews).map(([name, view]) => [
    name,
    { put: ({ putReceipt }: PageStand) => putReceipt(`R-${name.slice('receipt-'.length)}`, view) },
  ]),
)

const paidOrder = `R-${'0'.repeat(26)}` as ReceiptId
const shopAt =
  (shop: ShelfShop, path = ''): PageState['put'] =>
  ({ shops, url }) => {
    shops.set(shop.slug, shop)
    return `${url}/shop/${shop.slug}${path}`
  }
const coffee = shelfShop('coffee', 'none', 'grid')
const hotel = shelfShop('hotel', 'hotel', 'grid')
const studio = shelfShop('studio', 'freelancer', 'grid')
/** Dates a month from now, since rooms can be booked only for future dates. */
const [from, to] = [30, 33].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10))
const stay = `?arrival=${from}&departure=${to}`
const cart = (...lines: string[]) => ({ cookie: ['abcdefghijklmnopqrst', '', '', ...lines].join('!') })

async function add(page: Page): Promise<void> {
  await page.locator('form .add').first().click()
  await page.locator('#say p').waitFor()
}

const storeStates: Readonly<Record<string, PageState>> = {
  'store-grid': { put: shopAt(coffee) },
  'store-featured': { put: shopAt(shelfShop('featured', 'none', 'featured_first')) },
  'store-groups': { put: shopAt(shelfShop('groups', 'retail', 'groups')) },
  'store-carousel': { put: shopAt(shelfShop('carousel', 'retail', 'carousel')) },
  'store-restaurant': { put: shopAt(shelfShop('menu', 'restaurant', 'groups')) },
  'store-hotel': { put: shopAt(hotel) },
  'store-hotel-dates': { put: shopAt(hotel, stay) },
  'store-hotel-wrong-dates': { put: shopAt(hotel, `?arrival=${to}&departure=${from}`) },
  'store-freelancer': { put: shopAt(studio) },
  'store-search': { put: shopAt(coffee, '?q=ethiopia') },
  'store-nothing-found': { put: shopAt(coffee, '?q=tea') },
  'store-category': { put: shopAt(coffee, '?category=Blends') },
  'store-added': { put: shopAt(coffee), act: add },
  'store-product': { put: shopAt(coffee, '/p3') },
  'store-scarce': { put: shopAt(coffee, '/p1') },
  'store-sold-out': { put: shopAt(coffee, '/p2') },
  'store-room': { put: shopAt(hotel, `/p0${stay}`) },
  'store-service': { put: shopAt(studio, '/p1') },
  'store-cart': { put: shopAt(coffee, '/cart'), ...cart('2*p0', '1*p1', '1*p3') },
  'store-cart-corrected': { put: shopAt(coffee, '/cart'), ...cart('1*p0', '9*p1', '1*p2', '1*gone') },
  'store-cart-stay': { put: shopAt(hotel, '/cart'), ...cart(`1*p0*${from}*${to}`, '2*p2') },
  'store-cart-empty': { put: shopAt(coffee, '/cart') },
  'store-empty': { put: shopAt(shelfShop('new', 'none', 'grid', { products: [] })) },
  'store-cannot-sell': { put: shopAt(shelfShop('soon', 'none', 'grid', { canSell: false })) },
  'store-paid': {
    put: (stand) => {
      stand.orders.set(paidOrder, 'paid')
      return shopAt(coffee)(stand)
    },
    cookie: ['abcdefghijklmnopqrst', '', paidOrder, '1*p0'].join('!'),
  },
  'store-not-for-sale': { put: shopAt(coffee, '/unknown'), status: 404 },
  'store-no-shop': { put: at('/shop/nobody-has-it'), status: 404 },
}

const session =
  (changes: Partial<SandboxSession> = {}, query = ''): PageState['put'] =>
  ({ sandbox, url }) => {
    const made: SandboxSession = {
      id: 'sbx_01K9SANDBOX0000000000000000',
      reference: '01K9SANDBOX0000000000000000',
      state: 'opened',
      stateAt: 0 as UnixMs,
      createdAt: 0 as UnixMs,
      chain: 31_337,
      token: addresses.usdc as SandboxSession['token'],
      units: 25_000_000n as TokenUnits,
      decimals: 6,
      depositAddress: addresses.deposit as SandboxSession['depositAddress'],
      dueCents: 2_500n as Cents,
      sourceCents: undefined,
      redirectUrl: 'https://shop.example/back',
      errorCode: undefined,
      requestId: undefined,
      settlesAt: undefined,
      returnsAs: undefined,
      transactionHash: undefined,
      ...changes,
    }
    sandbox.set(made.id, made)
    return `${url}${sandboxPath}/${made.id}${query}`
  }

async function payByWrongCard(page: Page): Promise<void> {
  await page.getByLabel('Card number').fill('4111 1111 1111 1111')
  await page.getByRole('button', { name: 'Pay $25.38' }).click()
  await page.getByRole('alert').waitFor()
}

const [redirectUrl, errorCode] = ['about:blank', 'insufficient_funds'] as const
const sandboxStates: Readonly<Record<string, PageState>> = {
  'sandbox-card': { put: session() },
  'sandbox-bank': { put: session({}, '?method=bank') },
  'sandbox-again': { put: session({ state: 'failed', errorCode, requestId: 'req_1' }) },
  'sandbox-wrong': { put: session(), act: payByWrongCard },
  'sandbox-accepted': { put: session({ state: 'accepted', redirectUrl }) },
  'sandbox-ach-pending': { put: session({ state: 'ach_pending', redirectUrl }) },
  'sandbox-settled': { put: session({ state: 'settled' }) },
  'sandbox-returned': { put: session({ state: 'returned', errorCode }) },
  'sandbox-blocked': { put: session({ state: 'failed', errorCode: 'crypto_onramp_transaction_blocked' }) },
}

const failing =
  (error: PageHarness['error'], put: PageState['put'] = at('')): PageState['put'] =>
  (stand) => {
    Object.assign(stand.error, error)
    return put(stand)
  }

const siteStates: Readonly<Record<string, PageState>> = {
  start: { put: at('') },
  'start-local': {
    put: (stand) => {
      stand.site.hasDemoWallet = true
      return stand.url
    },
  },
  'unknown-page': { put: at('/no/such/page'), status: 404 },
  'no-receipt': { put: at('/receipt/none'), status: 404 },
  'too-many': { put: failing({ admit: new ApiError('rate_limited', 'too many') }), status: 429 },
  'out-of-order': {
    put: failing({ receipt: new Outage('datastore', 'gone') }, (stand) => stand.putReceipt('R-out-of-order')),
    status: 503,
  },
  'embed-button': { put: ({ shopUrl }) => shopUrl },
  'embed-open': {
    put: (stand) => {
      stand.put('coffee-embedded')
      return stand.shopUrl
    },
    async act(page) {
      await page.getByRole('link', { name: 'Pay $25.00' }).click()
      await page.frameLocator('dialog iframe').getByRole('heading', { level: 1 }).waitFor()
    },
  },
}

export const pageStates: Readonly<Record<string, PageState>> = {
  ...receiptStates,
  ...claimStates,
  ...storeStates,
  ...sandboxStates,
  ...siteStates,
}
