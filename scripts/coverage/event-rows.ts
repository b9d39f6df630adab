/** Events: delivery, signature and retry. */
export const eventRows = {
  'event.name': 'one kind of event: receipt.status_updated',
  'event.delivery': 'POST to webhook_url when the status changes',
  'event.https': 'https in production, http in development',
  'event.localhost': 'not localhost in production',
  'event.2xx': 'the receiver answers 2xx within 5 seconds',
  'event.twice': 'an event may arrive twice, under one idempotency key',
  'signature.hmac': 'HMAC-SHA256 over the exact bytes of the body',
  'signature.key': 'keyed with the API key that the receipt was made with',
  'signature.format': 'sha256= and 64 digits of lower-case hex',
  'retry.timeout': 'an attempt ends after 5 seconds',
  'retry.once': 'one retry, 5 seconds after the first attempt failed',
  'retry.conditions': 'after a non-2xx answer, a network error or a timeout',
  'retry.reconciliation': 'if both fail, a later job may send the current status',
  'retry.coalesced': 'intermediate transitions may be left out, order is not guaranteed',
  'retry.no-reversal': 'an older failure does not reverse a confirmed payment',
} as const

/** Events: request headers. */
export const webhookHeaderRows = {
  'webhook-header.Content-Type': 'application/json',
  'webhook-header.X-Service-Signature': 'sha256=<hex>',
  'webhook-header.X-Service-Event': 'receipt.status_updated',
  'webhook-header.X-Service-Delivery': 'uuid of the delivery cycle',
  'webhook-header.X-Service-Idempotency-Key': 'the same as in the body, stable over retries',
  'webhook-header.X-Service-Timestamp': 'Unix milliseconds',
  'webhook-header.User-Agent': 'Service-Webhook/1.0',
  'webhook-header.brand': 'partner brands: X-<Brand>-* and their own agent, aliases stay',
} as const

/** Events: body fields. */
export const webhookBodyRows = {
  'webhook-body.event': 'receipt.status_updated',
  'webhook-body.idempotencyKey': 'receipt-status:<receipt_id>:<status>:<transaction_hash>',
  'webhook-body.receiptId': 'string',
  'webhook-body.status': 'the canonical status',
  'webhook-body.previousStatus': 'the status before',
  'webhook-body.failure-fields': 'failureCode, -Category, -Reason and -Action, null unless failed',
  'webhook-body.provider-fields': 'providerErrorCode and providerRequestId where there are any',
  'webhook-body.transactionHash': 'string or null, set when completed',
  'webhook-body.buyerWallet': 'string or null',
  'webhook-body.merchantWallet': 'string',
  'webhook-body.totalUsd': "number: the merchant's order total",
  'webhook-body.customerTotalUsd': 'number: with processing fees',
  'webhook-body.providerSourceAmountUsd': 'number, when available',
  'webhook-body.token': 'symbol of the payment token',
  'webhook-body.providerSessionId': 'string or null',
  'webhook-body.isProviderSessionUnique': 'boolean, false where there is no session',
  'webhook-body.transactionId': 'reference of the creation, or null',
  'webhook-body.metadata': 'object of the creation, or null',
  'webhook-body.brandKey': 'string',
  'webhook-body.timestamp': 'number: Unix milliseconds',
  'webhook-body.failure-payload': 'what a failure carries',
  'webhook-body.blocked-payload': 'category compliance, the provider code, missing details null',
} as const
