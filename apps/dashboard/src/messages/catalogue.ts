import type app from './en/app.json'
import type nav from './en/nav.json'
import type newLink from './en/new-link.json'
import type orders from './en/orders.json'
import type products from './en/products.json'
import type receipt from './en/receipt.json'
import type receipts from './en/receipts.json'
import type refundState from './en/refund-state.json'
import type refunds from './en/refunds.json'
import type shop from './en/shop.json'
import type signIn from './en/sign-in.json'
import type site from './en/site.json'
import type split from './en/split.json'
import type status from './en/status.json'
import type terminal from './en/terminal.json'
import type unmatched from './en/unmatched.json'

/** The texts in English by part: each part is a file, and its keys begin with the part's name. */
type Parts = {
  app: typeof app
  nav: typeof nav
  'new-link': typeof newLink
  orders: typeof orders
  products: typeof products
  receipt: typeof receipt
  receipts: typeof receipts
  'refund-state': typeof refundState
  refunds: typeof refunds
  shop: typeof shop
  'sign-in': typeof signIn
  site: typeof site
  split: typeof split
  status: typeof status
  terminal: typeof terminal
  unmatched: typeof unmatched
}

/** A part of the texts, loaded with the screens that need it. */
export type Part = keyof Parts

/** What a text is asked for by. */
export type TextKey = { [P in Part]: keyof Parts[P] }[Part]
