import type app from './en/app.json'
import type checklist from './en/checklist.json'
import type developers from './en/developers.json'
import type find from './en/find.json'
import type invite from './en/invite.json'
import type nav from './en/nav.json'
import type newLink from './en/new-link.json'
import type orders from './en/orders.json'
import type overview from './en/overview.json'
import type products from './en/products.json'
import type receipt from './en/receipt.json'
import type receipts from './en/receipts.json'
import type refundState from './en/refund-state.json'
import type refunds from './en/refunds.json'
import type security from './en/security.json'
import type settings from './en/settings.json'
import type shop from './en/shop.json'
import type signIn from './en/sign-in.json'
import type site from './en/site.json'
import type split from './en/split.json'
import type status from './en/status.json'
import type team from './en/team.json'
import type terminal from './en/terminal.json'
import type unmatched from './en/unmatched.json'

/** English texts by part. Each part is one file whose keys start with the part's name. */
type Parts = {
  app: typeof app
  checklist: typeof checklist
  developers: typeof developers
  find: typeof find
  invite: typeof invite
  nav: typeof nav
  'new-link': typeof newLink
  orders: typeof orders
  overview: typeof overview
  products: typeof products
  receipt: typeof receipt
  receipts: typeof receipts
  'refund-state': typeof refundState
  refunds: typeof refunds
  shop: typeof shop
  security: typeof security
  settings: typeof settings
  'sign-in': typeof signIn
  site: typeof site
  split: typeof split
  status: typeof status
  team: typeof team
  terminal: typeof terminal
  unmatched: typeof unmatched
}

export type Part = keyof Parts

export type TextKey = { [P in Part]: keyof Parts[P] }[Part]
