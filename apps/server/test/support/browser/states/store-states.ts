import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Page } from 'playwright-core'
import { type ShelfShop, shelfShop } from '../shelf-stores.ts'
import type { PageStand } from './page-stand.ts'
import type { PageState } from './page-state.ts'

const paidOrder = `R-${'0'.repeat(26)}`

function shopAt(shop: ShelfShop, path = '') {
  return ({ pages }: PageStand) => {
    pages.shops.set(shop.slug, shop)
    return `${pages.url}/shop/${shop.slug}${path}`
  }
}

const coffee = shelfShop('coffee', 'none', 'grid')
const hotel = shelfShop('hotel', 'hotel', 'grid')
/** A month from now: rooms are booked for days that are still to come. */
const dates = [30, 33].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10))
const stay = `?arrival=${dates[0]}&departure=${dates[1]}`
const cart = (...lines: string[]) => ['abcdefghijklmnopqrst', '', '', ...lines].join('!')

async function add(page: Page): Promise<void> {
  await page.locator('form .add').first().click()
  await page.locator('#say p').waitFor()
}

/** Every state of the storefronts: arrangements, industry packs, a product, the cart, and what is not there. */
export const storeStates: Readonly<Record<string, PageState>> = {
  'store-grid': { put: shopAt(coffee), says: 'Harbour Coffee Roasters' },
  'store-featured': {
    put: shopAt(shelfShop('featured', 'none', 'featured_first')),
    says: 'Ethiopia Guji',
  },
  'store-groups': { put: shopAt(shelfShop('groups', 'retail', 'groups')), says: 'Brewing gear' },
  'store-carousel': { put: shopAt(shelfShop('carousel', 'retail', 'carousel')), says: 'Brewing gear' },
  'store-restaurant': { put: shopAt(shelfShop('menu', 'restaurant', 'groups')), says: 'Starters' },
  'store-hotel': { put: shopAt(hotel), says: 'Garden room' },
  'store-hotel-dates': { put: shopAt(hotel, stay), says: '3 nights' },
  'store-hotel-wrong-dates': {
    put: shopAt(hotel, `?arrival=${dates[1]}&departure=${dates[0]}`),
    says: 'Garden room',
  },
  'store-freelancer': { put: shopAt(shelfShop('studio', 'freelancer', 'grid')), says: 'Brand identity' },
  'store-search': { put: shopAt(coffee, '?q=ethiopia'), says: 'Results for' },
  'store-nothing-found': { put: shopAt(coffee, '?q=tea'), says: 'Results for' },
  'store-category': { put: shopAt(coffee, '?category=Blends'), says: 'Night Watch' },
  'store-added': { put: shopAt(coffee), act: add, says: 'is in your cart' },
  'store-product': { put: shopAt(coffee, '/p3'), says: 'The house espresso' },
  'store-scarce': { put: shopAt(coffee, '/p1'), says: 'Only 3 left' },
  'store-sold-out': { put: shopAt(coffee, '/p2'), says: 'Sold out' },
  'store-room': { put: shopAt(hotel, `/p0${stay}`), says: 'Garden room' },
  'store-service': {
    put: shopAt(shelfShop('studio', 'freelancer', 'grid'), '/p1'),
    says: 'Brand identity',
  },
  'store-cart': { put: shopAt(coffee, '/cart'), cookie: cart('2*p0', '1*p1', '1*p3'), says: 'Night Watch' },
  'store-cart-corrected': {
    put: shopAt(coffee, '/cart'),
    cookie: cart('1*p0', '9*p1', '1*p2', '1*gone'),
    says: 'Colombia La Palma',
  },
  'store-cart-stay': {
    put: shopAt(hotel, '/cart'),
    cookie: cart(`1*p0*${dates[0]}*${dates[1]}`, '2*p2'),
    says: 'Garden room',
  },
  'store-cart-empty': { put: shopAt(coffee, '/cart'), says: 'empty' },
  'store-empty': { put: shopAt(shelfShop('new', 'none', 'grid', { products: [] })), says: 'Harbour' },
  'store-cannot-sell': {
    put: shopAt(shelfShop('soon', 'none', 'grid', { canSell: false })),
    says: 'Harbour',
  },
  'store-paid': {
    put(stand) {
      stand.pages.orders.set(paidOrder as ReceiptId, 'paid')
      return shopAt(coffee)(stand)
    },
    cookie: ['abcdefghijklmnopqrst', '', paidOrder, '1*p0'].join('!'),
    says: 'Thank you',
  },
  'store-not-for-sale': { put: shopAt(coffee, '/unknown'), says: 'Not for sale', status: 404 },
  'store-no-shop': {
    put: ({ pages }) => `${pages.url}/shop/nobody-has-it`,
    says: 'There is no shop here',
    status: 404,
  },
}
