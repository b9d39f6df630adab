/** Endpoints: POST /api/receipts/status. */
export const postStatusRows = {
  'post-receipts-status.receiptId': 'string, required: else missing_receipt_id',
  'post-receipts-status.wallet': "string, required: the merchant's wallet, else invalid_wallet",
  'post-receipts-status.status': 'string, required: else missing_status',
  'post-receipts-status.200': '{ ok: true }',
  'post-receipts-status.tracking': 'link_opened, buyer_logged_in, checkout_initialized need no session',
  'post-receipts-status.sensitive':
    'checkout_success and refund_* need an admin session and CSRF, else forbidden',
  'post-receipts-status.429': 'rate_limited',
  'post-receipts-status.500': 'failed',
  'post-receipts-status.x-correlation-id': 'response header',
} as const

/** Endpoints: POST /api/receipts/refund. */
export const postRefundRows = {
  'post-receipts-refund.receiptId': 'required: else missing_receipt_id',
  'post-receipts-refund.wallet': "the merchant's wallet: else invalid_wallet",
  'post-receipts-refund.buyer': "the buyer's wallet: else invalid_buyer",
  'post-receipts-refund.usd': 'number: else invalid_usd',
  'post-receipts-refund.items': 'array of label, priceUsd and optional qty',
  'post-receipts-refund.txHash': 'string: the transaction that gave it back',
  'post-receipts-refund.200': '{ ok: true }: the refund is logged, the status history updated',
  'post-receipts-refund.refusals': '401, 403 (keys too), 429, 500',
  'post-receipts-refund.x-correlation-id': 'response header',
} as const

/** Endpoints: POST /api/receipts/terminal and GET /api/terminal/check-payment. */
export const terminalRows = {
  'post-receipts-terminal.x-wallet': 'ignored: the authenticated wallet is used',
  'post-receipts-terminal.amountUsd': 'number: base in USD, before tax and fees',
  'post-receipts-terminal.amount': 'number: base in currency, before tax and fees; not with amountUsd',
  'post-receipts-terminal.currency': 'USD by default or EUR, for amount',
  'post-receipts-terminal.label': 'string: what the line is called',
  'post-receipts-terminal.jurisdictionCode': 'string: where it is taxed',
  'post-receipts-terminal.taxRate': 'number: fraction, 0.095 for example',
  'post-receipts-terminal.taxComponents': 'array of strings',
  'post-receipts-terminal.200': '{ ok, receipt } with its Tax line, generated',
  'post-receipts-terminal.native': 'native and USD values for a native amount',
  'post-receipts-terminal.wallet_required': '400 without a merchant to sell for',
  'post-receipts-terminal.invalid_amount': '400 for an amount that is none',
  'post-receipts-terminal.split_required': '403 without a split',
  'post-receipts-terminal.refusals': '401, 403, 429, 500',
  'post-receipts-terminal.x-correlation-id': 'response header',
  'get-terminal-check-payment.answer': 'polled for a payment',
} as const
