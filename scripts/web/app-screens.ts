import type { AppStory } from './app-story.ts'

/** A screen of the web app that has a picture. */
export type AppScreen = {
  readonly path: string | ((story: AppStory) => string)
  /** Who looks at it; the merchant's owner where nobody is named. */
  readonly as?: 'nobody' | 'operator'
}

/** The screens of the web app by the name of their picture: a section's is that of its address. */
export const appScreens: Readonly<Record<string, AppScreen>> = {
  'sign-in': { path: '/', as: 'nobody' },
  overview: { path: '/overview' },
  receipts: { path: '/receipts' },
  'new-link': { path: '/payment-links/new' },
  receipt: { path: '/receipts/web-1038' },
  refunds: { path: '/refunds' },
  'new-refund': { path: '/refunds/new?receiptId=web-1043' },
  unmatched: { path: '/unmatched' },
  products: { path: '/products' },
  orders: { path: '/orders' },
  order: { path: ({ orderId }) => `/orders/${encodeURIComponent(orderId)}` },
  'new-order': { path: '/orders/new' },
  terminal: { path: '/terminal' },
  split: { path: '/split' },
  'split-recipients': { path: '/split/recipients' },
  shop: { path: '/shop' },
  'shop-look': { path: '/shop/look' },
  site: { path: '/site', as: 'operator' },
  developers: { path: '/developers' },
  deliveries: { path: '/developers/deliveries' },
  delivery: { path: ({ deliveryId }) => `/developers/deliveries/${deliveryId}` },
  'webhook-test': { path: '/developers/webhook-test' },
  events: { path: '/developers/events' },
  requests: { path: '/developers/requests' },
  snippets: { path: '/developers/snippets' },
  team: { path: '/team' },
  security: { path: '/security' },
  settings: { path: '/settings' },
}
