import type { Cents, TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Page } from 'playwright-core'
import { Outage } from '../../../src/kernel/outage.ts'
import { Refusal } from '../../../src/kernel/refusal.ts'
import { sandboxPath } from '../../../src/onramp/sandbox/sandbox-provider.ts'
import type { SandboxSession } from '../../../src/onramp/sandbox/session.ts'
import type { ReceiptView } from '../../../src/payments/tracking/receipt-view.ts'
import { addresses } from './checkout-views.ts'
import { claimStates } from './claim-states.ts'
import type { PageHarness } from './page-harness.ts'
import { at, type PageStand, type PageState, state } from './page-stand.ts'
import { madeBuyer, madePayment, makeLines, makeTracker, transactionHash } from './receipt-views.ts'
import { type ShelfShop, shelfShop } from './shelf-stores.ts'

/** Opens a state in `page` and this language, after the buyer's actions. */
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

/** A receipt in euros, with a fee that the buyer paid. */
export const euroReceipt: Partial<ReceiptView> = {
  currency: 'EUR',
  totals: { total: 80.4, totalUsd: 87.2, feeUsd: 0.44, customerTotalUsd: 87.64 },
  valuation: { unit: 'EUR', usdPerUnit: 1.0846, quotedAt: Date.UTC(2025, 10, 21, 8), provider: 'ecb' },
}

/** The text and the view of each state of a receipt. */
export const receiptViews: Readonly<Record<string, readonly [says: string, view: Partial<ReceiptView>]>> = {
  'receipt-paid': ['Paid', {}],
  'receipt-on-its-way': ['Becoming final', { tracker: makeTracker(['done', 'done', 'now'], 'waiting') }],
  'receipt-held': ['Passed on', { tracker: makeTracker(['done', 'done', 'done', 'done'], 'held') }],
  'receipt-reversed': [
    'Paid, under review',
    {
      standing: 'reversed',
      tracker: makeTracker(['done', 'stopped'], 'waiting'),
      payments: [{ ...madePayment, isReversed: true }],
    },
  ],
  'receipt-refund-requested': ['Refund requested', { standing: 'refund-requested' }],
  'receipt-partly-refunded': [
    'Partly refunded',
    { standing: 'partly-refunded', refunds: [{ ...refund, state: 'sent' }], ...euroReceipt },
  ],
  'receipt-refunded': [
    'Refunded',
    { standing: 'refunded', refunds: [{ ...refund, state: 'recorded', transactionHash: null }] },
  ],
  'receipt-private': ['Ada Lovelace', { buyer: madeBuyer }],
  'receipt-many-lines': ['no. 15', { lines: makeLines(15) }],
  'receipt-without-chain': ['Paid', { payments: [], tracker: null }],
  'receipt-several-payments': [
    'and 3 smaller payments',
    { payments: [madePayment, { ...madePayment, isLate: true, payer: null }], paymentsOmitted: 3 },
  ],
  'receipt-unpaid': ['not paid yet', { standing: 'unpaid', ...unpaid }],
  'receipt-bank-pending': ['bank', { standing: 'bank-pending', ...unpaid }],
}

const receiptStates = Object.fromEntries(
  Object.entries(receiptViews).map(([name, [says, view]]) => [
    name,
    state((stand) => stand.putReceipt(`R-${name.slice('receipt-'.length)}`, view), says),
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
/** Days a month from now: rooms are booked for future days only. */
const [from, to] = [30, 33].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10))
const stay = `?arrival=${from}&departure=${to}`
const cart = (...lines: string[]) => ({ cookie: ['abcdefghijklmnopqrst', '', '', ...lines].join('!') })

async function add(page: Page): Promise<void> {
  await page.locator('form .add').first().click()
  await page.locator('#say p').waitFor()
}

const storeStates: Readonly<Record<string, PageState>> = {
  'store-grid': state(shopAt(coffee), 'Harbour Coffee Roasters'),
  'store-featured': state(shopAt(shelfShop('featured', 'none', 'featured_first')), 'Ethiopia Guji'),
  'store-groups': state(shopAt(shelfShop('groups', 'retail', 'groups')), 'Brewing gear'),
  'store-carousel': state(shopAt(shelfShop('carousel', 'retail', 'carousel')), 'Brewing gear'),
  'store-restaurant': state(shopAt(shelfShop('menu', 'restaurant', 'groups')), 'Starters'),
  'store-hotel': state(shopAt(hotel), 'Garden room'),
  'store-hotel-dates': state(shopAt(hotel, stay), '3 nights'),
  'store-hotel-wrong-dates': state(shopAt(hotel, `?arrival=${to}&departure=${from}`), 'Garden room'),
  'store-freelancer': state(shopAt(studio), 'Brand identity'),
  'store-search': state(shopAt(coffee, '?q=ethiopia'), 'Results for'),
  'store-nothing-found': state(shopAt(coffee, '?q=tea'), 'Results for'),
  'store-category': state(shopAt(coffee, '?category=Blends'), 'Night Watch'),
  'store-added': state(shopAt(coffee), 'is in your cart', { act: add }),
  'store-product': state(shopAt(coffee, '/p3'), 'The house espresso'),
  'store-scarce': state(shopAt(coffee, '/p1'), 'Only 3 left'),
  'store-sold-out': state(shopAt(coffee, '/p2'), 'Sold out'),
  'store-room': state(shopAt(hotel, `/p0${stay}`), 'Garden room'),
  'store-service': state(shopAt(studio, '/p1'), 'Brand identity'),
  'store-cart': state(shopAt(coffee, '/cart'), 'Night Watch', cart('2*p0', '1*p1', '1*p3')),
  'store-cart-corrected': state(
    shopAt(coffee, '/cart'),
    'Colombia La Palma',
    cart('1*p0', '9*p1', '1*p2', '1*gone'),
  ),
  'store-cart-stay': state(shopAt(hotel, '/cart'), 'Garden room', cart(`1*p0*${from}*${to}`, '2*p2')),
  'store-cart-empty': state(shopAt(coffee, '/cart'), 'empty'),
  'store-empty': state(shopAt(shelfShop('new', 'none', 'grid', { products: [] })), 'Harbour'),
  'store-cannot-sell': state(shopAt(shelfShop('soon', 'none', 'grid', { canSell: false })), 'Harbour'),
  'store-paid': state(
    (stand) => {
      stand.orders.set(paidOrder, 'paid')
      return shopAt(coffee)(stand)
    },
    'Thank you',
    { cookie: ['abcdefghijklmnopqrst', '', paidOrder, '1*p0'].join('!') },
  ),
  'store-not-for-sale': state(shopAt(coffee, '/unknown'), 'Not for sale', { status: 404 }),
  'store-no-shop': state(at('/shop/nobody-has-it'), 'There is no shop here', { status: 404 }),
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
  'sandbox-card': state(session(), 'Test cards'),
  'sandbox-bank': state(session({}, '?method=bank'), 'Test bank accounts'),
  'sandbox-again': state(
    session({ state: 'failed', errorCode, requestId: 'req_1' }),
    'The last payment failed: The card or bank account did not have enough funds',
  ),
  'sandbox-wrong': state(session(), 'not one of the test cards', { act: payByWrongCard, toldStatus: 400 }),
  'sandbox-accepted': state(session({ state: 'accepted', redirectUrl }), 'Payment accepted'),
  'sandbox-ach-pending': state(session({ state: 'ach_pending', redirectUrl }), 'Bank debit accepted'),
  'sandbox-settled': state(session({ state: 'settled' }), 'Payment complete'),
  'sandbox-returned': state(session({ state: 'returned', errorCode }), 'The bank returned the debit'),
  'sandbox-blocked': state(
    session({ state: 'failed', errorCode: 'crypto_onramp_transaction_blocked' }),
    'The payment failed',
  ),
}

const failing =
  (fault: PageHarness['fault'], put: PageState['put'] = at('')): PageState['put'] =>
  (stand) => {
    Object.assign(stand.fault, fault)
    return put(stand)
  }

const siteStates: Readonly<Record<string, PageState>> = {
  start: state(at(''), 'Get paid'),
  'start-local': state((stand) => {
    stand.site.hasDemoWallet = true
    return stand.url
  }, 'demo'),
  'unknown-page': state(at('/no/such/page'), 'Page not found', { status: 404 }),
  'no-receipt': state(at('/receipt/none'), 'not found', { status: 404 }),
  'too-many': state(failing({ admit: new Refusal('rate_limited', 'too many') }), 'Try again', {
    status: 429,
  }),
  'out-of-order': state(
    failing({ receipt: new Outage('datastore', 'gone') }, (stand) => stand.putReceipt('R-out-of-order')),
    'Try again',
    { status: 503 },
  ),
  'embed-button': state(({ shopUrl }) => shopUrl, 'Pay $25.00'),
  'embed-open': state(
    (stand) => {
      stand.put('coffee-embedded')
      return stand.shopUrl
    },
    'Pay $25.00',
    {
      async act(page) {
        await page.getByRole('link', { name: 'Pay $25.00' }).click()
        await page.frameLocator('dialog iframe').getByRole('heading', { level: 1 }).waitFor()
      },
    },
  ),
}

/** Every state of the pages other than the checkout. */
export const pageStates: Readonly<Record<string, PageState>> = {
  ...receiptStates,
  ...claimStates,
  ...storeStates,
  ...sandboxStates,
  ...siteStates,
}
