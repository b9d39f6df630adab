/** States and transitions: the states. */
export const stateRows = {
  'state.generated': 'a terminal receipt that was just made',
  'state.pending': 'a new receipt: neither paid nor failed for good',
  'state.paid': 'the server took or confirmed the payment',
  'state.paid-ach-pending': 'a bank payment was accepted and is not settled; alias ach_pending',
  'state.reconciled': 'the money is verified and the split distributed it',
  'state.failed': 'a failure that the server verified; rejected and its like are read as this',
  'state.refund_requested': 'a refund was asked for',
  'state.refunded': 'the refund was made',
  'state.legacy': 'completed, ach_pending, rejected, abandoned, tx_mined, recipient_validated, tx_mismatch',
} as const

/** States and transitions: the table of transitions and the rules under it. */
export const transitionRows = {
  'transition.new-pending': 'POST /api/receipts with a valid body: pending, 201 with paymentUrl',
  'transition.new-generated': 'POST /api/receipts/terminal with an admin session: generated',
  'transition.pending-paid': 'a payment that the server verified: paid, webhook with previousStatus pending',
  'transition.pending-failed':
    'a failure that the server verified: failed, its fields and the webhook together',
  'transition.any-paid': 'checkout_success with admin session and CSRF: paid',
  'rule.1.telemetry': 'telemetry changes no status and sends no webhook',
  'rule.2.stale-failure': 'a stale failure never replaces an accepted or paid receipt',
  'rule.2.other-attempt': 'nor does the failure of another attempt',
  'rule.3.others': 'no other transition is taken',
} as const

/** Failure fields of status answers and webhooks. */
export const failureRows = {
  'failure.failureCode': 'string: code of the PORTAL_* family',
  'failure.failureCategory': 'card_decline, compliance, limits, blockchain, session or system',
  'failure.failureReason': 'string: what happened, for people',
  'failure.failureAction': 'string: what the merchant can do',
  'failure.providerErrorCode': "string: the provider's own code, from a signed event or observation",
  'failure.providerRequestId': "string: the provider's reference, req_...",
  'failure.null': 'all null where nothing failed',
  'failure-category.card_decline':
    'funds, issuer, expired, security code, number, do-not-honor, risk, 3-D Secure, bank policy',
  'failure-category.compliance':
    'blocked, identity levels 0 to 2, document, birth date, sanctions, age, jurisdiction',
  'failure-category.limits': 'above the KYC tier, above the largest or below the smallest payment',
  'failure-category.blockchain': 'tokens or gas, signature, slippage, contract reverted, wallet ownership',
  'failure-category.session': 'checkout closed, session expired, cancelled',
  'failure-category.system': 'network timeout or processing error',
  'failure-code.PORTAL_PAY_INSUFFICIENT_FUNDS': 'a card_decline',
  'failure-code.PORTAL_PAY_TRANSACTION_BLOCKED': 'a compliance failure that is not tried again',
  'failure-code.unknown': 'unknown causes have a generic code and invent no provider error',
} as const
