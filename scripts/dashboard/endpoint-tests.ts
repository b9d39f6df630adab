/** In place of a test: there is a screen, and its test is still to be written. */
export const noTestYet = 'none yet'

/**
 * For each endpoint that only a session may call, the test in apps/server/test/browser that reaches it through the
 * web app: by the beginning of its name.
 */
export const endpointTests: Readonly<Record<string, string>> = {
  'POST /api/auth/login': 'a merchant signs in with a wallet',
  'GET /api/auth/session': 'a merchant signs in with a wallet',
  'POST /api/auth/logout': 'a merchant signs in with a wallet',
  'GET /api/auth/sessions': 'sessions are listed and ended',
  'DELETE /api/auth/sessions': 'sessions are listed and ended',
  'DELETE /api/auth/sessions/{id}': 'sessions are listed and ended',
  'GET /api/audit': 'sessions are listed and ended',
  'GET /api/members': 'an owner adds a member',
  'POST /api/members': 'an owner adds a member',
  'DELETE /api/members': 'an owner adds a member',
  'GET /api/members/invitations': 'an owner invites by a link',
  'POST /api/members/invitations': 'an owner invites by a link',
  'DELETE /api/members/invitations/{id}': 'an owner invites by a link',
  'GET /api/settings': 'settings are saved by group',
  'POST /api/settings': 'settings are saved by group',
  'GET /api/subscriptions': 'point 54: a key is shown once',
  'POST /api/subscriptions': 'point 54: a key is shown once',
  'DELETE /api/subscriptions/{id}': 'point 54: a key is shown once',
  'POST /api/subscriptions/{id}/keys/{slot}/rotate': 'a rotated key stops working',
  'GET /api/requests': 'events, requests with their correlation ids',
  'GET /api/webhooks/deliveries/{id}': 'point 55: Resend adds an attempt',
  'POST /api/webhooks/deliveries/{id}/redeliver': 'point 55: Resend adds an attempt',
  'POST /api/split/deploy': 'a first split is set up',
  'POST /api/split/versions/preview': 'an owner sees what a change means',
  'POST /api/split/versions': 'an owner sees what a change means',
  'DELETE /api/split/versions/{version}': 'an owner sees what a change means',
  'PATCH /api/receipts/{id}': 'an unpaid receipt is edited',
  'POST /api/receipts/refund': 'point 51: a refund never exceeds',
  'POST /api/receipts/status': 'point 60: changing a status by hand',
  'POST /api/payments/unmatched/{id}': 'unmatched payments are applied',
  'POST /api/shop/config': 'an address is judged while it is typed',
  'GET /api/shop/slugs/{slug}': 'an address is judged while it is typed',
  'GET /api/site/brands': 'an operator makes a brand',
  'POST /api/site/config': 'an operator makes a brand',
  'GET /api/site/merchants': 'an operator makes a brand',
  'POST /api/site/merchants': 'an operator makes a brand',
  'POST /api/receipts/terminal': 'point 56: 12.50 with tax',
}
