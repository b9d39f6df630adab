/** What the service does, by the contract's numbers. */
export const serviceRows = {
  'service.1': 'developers call JSON APIs under /api with a subscription key',
  'service.2': 'a subscription is bound to one wallet, which clients never send',
  'service.3': 'a receipt or an order yields a payment URL; its status can be polled',
  'service.4': 'without a split an order can fail with split_required',
  'service.5': 'admin and sensitive writes cannot be made with a subscription key',
  'service.6': 'GET /healthz needs no key',
} as const

/** Errors. */
export const errorRows = {
  'error.format': '{ error: code, message: text } and fields of its own',
  'error.statuses': '200, 201, 204, 400, 401, 403, 404, 409, 410, 429, 500 and 503 alone',
  'error.401.unauthorized': 'missing or wrong key; missing or expired session, with a word of the JWT',
  'error.403.forbidden': 'scope, origin or policy, an action that is not allowed, wallet headers',
  'error.403.split_required': 'no split, for an order or a terminal receipt',
  'error.400.invalid_input': 'missing fields, wrong types, out of range',
  'error.400.items_required': 'an order of nothing',
  'error.400.inventory_item_not_found': 'an unknown sku or id',
  'error.400.platform_recipient_not_configured': 'the platform has no address',
  'error.400.missing_receipt_id': 'of status and refund',
  'error.400.invalid_wallet': 'of status and refund',
  'error.400.missing_status': 'of status',
  'error.400.invalid_buyer': 'of refund',
  'error.400.invalid_usd': 'of refund',
  'error.400.wallet_required': 'of terminal',
  'error.400.invalid_amount': 'of terminal',
  'error.404.not_found': 'what is not there',
  'error.409': 'replacing an unpaid native receipt',
  'error.410.deprecated': 'POST /api/split/withdraw',
  'error.429.rate_limited': 'with resetAt and a message',
  'error.500.failed': 'a defect',
  'error.503': 'no exchange rate for a native receipt',
  'error.x-correlation-id': 'quoted when a problem is reported',
} as const

/** Degraded mode. */
export const degradedRows = {
  'degraded.read': '200 with degraded true and reason datastore_unavailable',
  'degraded.write': '{ ok: true, degraded: true, reason, data }',
  'degraded.recovery': 'what was taken is persisted when the store recovers',
} as const

/** Limits and versioning, and what an edge in front may rely on. */
export const limitRows = {
  'limit.receipts': 'GET /api/receipts: default 100, at least 1, at most 200',
  'limit.webhook-timeout': '5 seconds an attempt',
  'limit.webhook-retries': '1, after 5 seconds',
  'limit.stockQty': 'at least -1',
  'limit.native-amounts': 'finite, of at most two decimals',
  'limit.split-shares': 'whole basis points, 10000 are 100 %',
  'limit.order-sizes': 'smallest and largest payment fail with category limits',
  'rate-limit.subject': 'per subscription and wallet',
  'rate-limit.X-RateLimit-Limit': 'header: how many',
  'rate-limit.X-RateLimit-Remaining': 'header: how many are left',
  'rate-limit.X-RateLimit-Reset': 'header: when they are back',
  'rate-limit.resetAt': 'when to come again after 429',
  'version.prefix': 'paths begin with /api/, without a version',
  'edge.uncached': '/api/* must not be cached',
} as const
