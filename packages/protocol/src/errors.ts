/**
 * Every error code of the API with its HTTP status.
 *
 * Source: contract (Errors) and, where it states no code, the decisions written down in docs/reference/api.md.
 */
export const errorStatus = {
  invalid_input: 400,
  items_required: 400,
  inventory_item_not_found: 400,
  inventory_item_unavailable: 400,
  platform_recipient_not_configured: 400,
  missing_receipt_id: 400,
  invalid_wallet: 400,
  missing_status: 400,
  invalid_buyer: 400,
  invalid_usd: 400,
  wallet_required: 400,
  invalid_amount: 400,
  unauthorized: 401,
  forbidden: 403,
  split_required: 403,
  not_found: 404,
  receipt_exists: 409,
  idempotency_conflict: 409,
  attempt_open: 409,
  product_conflict: 409,
  slug_taken: 409,
  deprecated: 410,
  rate_limited: 429,
  failed: 500,
  exchange_rate_unavailable: 503,
  datastore_unavailable: 503,
  chain_unavailable: 503,
  provider_unavailable: 503,
} as const

/** The value of `error` in an error answer. */
export type ErrorCode = keyof typeof errorStatus
