/** Where in the merchant web app people do what the endpoints under a path do for a session; the first that fits. */
const screens: readonly (readonly [prefix: string, screen: string])[] = [
  ['/api/audit', '/app/security'],
  ['/api/auth', '/app/security'],
  ['/api/deposits', '/app/split'],
  ['/api/keeper', '/app/overview'],
  ['/api/members', '/app/team'],
  ['/api/payments/unmatched', '/app/unmatched'],
  ['/api/receipts/refund', '/app/refunds'],
  ['/api/receipts/terminal', '/app/terminal'],
  ['/api/receipts', '/app/receipts'],
  ['/api/requests', '/app/developers/requests'],
  ['/api/settings', '/app/settings'],
  ['/api/shop', '/app/shop'],
  ['/api/site', '/app/site'],
  ['/api/split', '/app/split'],
  ['/api/subscriptions', '/app/developers'],
  ['/api/webhooks/deliveries', '/app/developers/deliveries'],
]

/** The address of the screen for an endpoint; of the app where none is its own. */
export function screenOf(path: string): string {
  return screens.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1] ?? '/app'
}
