export const failureCategories = [
  'card_decline',
  'compliance',
  'limits',
  'blockchain',
  'session',
  'system',
] as const

export type FailureCategory = (typeof failureCategories)[number]

/**
 * Whether another attempt helps: `yes` without changes, `after_action` once `action` is done, `no` never.
 * With `no`, do not retry automatically.
 */
export type RetryAdvice = 'yes' | 'after_action' | 'no'

/** The texts are for merchants and are sent in webhooks. */
export type Failure = {
  readonly category: FailureCategory
  readonly reason: string
  readonly action: string
  readonly retry: RetryAdvice
  readonly providerCodes: readonly string[]
}

/**
 * All failure codes, in documented order.
 *
 * A provider code is listed only if its documentation gives it the same meaning. A code with several causes
 * is not listed and maps to `PORTAL_PAYMENT_FAILED`, so that no cause is invented.
 *
 * See docs/contract.md#failure-codes.
 */
export const failures = {
  PORTAL_PAY_INSUFFICIENT_FUNDS: {
    category: 'card_decline',
    reason: 'The card or bank account has insufficient funds.',
    action: 'Ask the buyer to pay with another card, or to add funds and try again.',
    retry: 'after_action',
    providerCodes: ['insufficient_funds'],
  },
  PORTAL_PAY_ISSUER_DECLINED: {
    category: 'card_decline',
    reason: 'The card issuer declined the payment without a specific reason.',
    action: 'Ask the buyer to call the bank or to pay with another card.',
    retry: 'after_action',
    providerCodes: [
      'card_declined',
      'generic_decline',
      'call_issuer',
      'transaction_not_allowed',
      'card_not_supported',
    ],
  },
  PORTAL_PAY_CARD_EXPIRED: {
    category: 'card_decline',
    reason: 'The card has expired.',
    action: 'Ask the buyer to pay with a valid card.',
    retry: 'after_action',
    providerCodes: ['expired_card', 'invalid_expiry_month', 'invalid_expiry_year'],
  },
  PORTAL_PAY_WRONG_SECURITY_CODE: {
    category: 'card_decline',
    reason: "The card's security code is incorrect.",
    action: 'Ask the buyer to enter the security code again.',
    retry: 'after_action',
    providerCodes: ['incorrect_cvc', 'invalid_cvc'],
  },
  PORTAL_PAY_INVALID_CARD_NUMBER: {
    category: 'card_decline',
    reason: 'The card number is incorrect.',
    action: 'Ask the buyer to enter the card number again.',
    retry: 'after_action',
    providerCodes: ['incorrect_number', 'invalid_number'],
  },
  PORTAL_PAY_DO_NOT_HONOR: {
    category: 'card_decline',
    reason: 'The bank declined the payment (“do not honor”).',
    action: 'Ask the buyer to call the bank or to pay with another card.',
    retry: 'after_action',
    providerCodes: ['do_not_honor'],
  },
  PORTAL_PAY_RISK_BLOCKED: {
    category: 'card_decline',
    reason: 'The payment was blocked because of a high risk score. This is not proof of fraud.',
    action: 'Ask the buyer to use another payment method. Do not retry with the same card.',
    retry: 'no',
    providerCodes: ['fraudulent', 'merchant_blacklist'],
  },
  PORTAL_PAY_AUTHENTICATION_FAILED: {
    category: 'card_decline',
    reason: 'The bank could not authenticate the buyer (3-D Secure).',
    action: "Ask the buyer to try again and complete the bank's authentication.",
    retry: 'after_action',
    providerCodes: ['authentication_required', 'payment_intent_authentication_failure'],
  },
  PORTAL_PAY_BANK_POLICY: {
    category: 'card_decline',
    reason: 'The bank does not allow purchases of digital assets with this card.',
    action: 'Ask the buyer to pay with a card from another bank, or from a wallet.',
    retry: 'after_action',
    providerCodes: [],
  },
  PORTAL_PAY_TRANSACTION_BLOCKED: {
    category: 'compliance',
    reason: 'The payment provider blocked this transaction. This is not proof of fraud or sanctions.',
    action:
      'Do not retry. Offer the buyer another payment method, or contact the provider with its reference.',
    retry: 'no',
    providerCodes: ['crypto_onramp_transaction_blocked'],
  },
  PORTAL_PAY_IDENTITY_LEVEL_0_REQUIRED: {
    category: 'compliance',
    reason: "The provider requires the buyer's name, address and contact details (identity level 0).",
    action: 'Ask the buyer to open the checkout again and enter these details.',
    retry: 'after_action',
    providerCodes: ['crypto_onramp_missing_minimum_identity_verification'],
  },
  PORTAL_PAY_IDENTITY_LEVEL_1_REQUIRED: {
    category: 'compliance',
    reason: "The provider requires the buyer's date of birth and an identity number (identity level 1).",
    action: 'Ask the buyer to open the checkout again and enter these details.',
    retry: 'after_action',
    providerCodes: ['crypto_onramp_missing_identity_verification', 'missing_kyc'],
  },
  PORTAL_PAY_IDENTITY_LEVEL_2_REQUIRED: {
    category: 'compliance',
    reason: 'The provider requires an identity document from the buyer (identity level 2).',
    action: 'Ask the buyer to open the checkout again with a passport or identity card ready.',
    retry: 'after_action',
    providerCodes: ['crypto_onramp_missing_document_verification', 'missing_document_verification'],
  },
  PORTAL_PAY_DOCUMENT_UNREADABLE: {
    category: 'compliance',
    reason: 'The identity document could not be read.',
    action: 'Ask the buyer for a clearer picture of a valid document.',
    retry: 'after_action',
    providerCodes: [],
  },
  PORTAL_PAY_BIRTH_DATE_MISMATCH: {
    category: 'compliance',
    reason: 'The date of birth does not match the identity document.',
    action: 'Ask the buyer to correct the date of birth.',
    retry: 'after_action',
    providerCodes: [],
  },
  PORTAL_PAY_SANCTIONS_MATCH: {
    category: 'compliance',
    reason: 'The buyer matches an entry on a sanctions list, so the provider cannot serve the buyer.',
    action: 'Do not retry and do not deliver. The buyer can ask the provider for a review.',
    retry: 'no',
    providerCodes: [],
  },
  PORTAL_PAY_UNDER_AGE: {
    category: 'compliance',
    reason: 'The buyer is under 18.',
    action: 'Do not retry. The provider serves adults only.',
    retry: 'no',
    providerCodes: [],
  },
  PORTAL_PAY_UNSUPPORTED_JURISDICTION: {
    category: 'compliance',
    reason: "The provider is not available in the buyer's location.",
    action: 'Suggest that the buyer pay from a wallet.',
    retry: 'no',
    providerCodes: [
      'crypto_onramp_unsupported_country',
      'crypto_onramp_unsupported_region',
      'crypto_onramp_unsupportable_customer',
      'location_not_supported',
    ],
  },
  PORTAL_PAY_KYC_LIMIT_EXCEEDED: {
    category: 'limits',
    reason: "The amount is above the limit of the buyer's identity level.",
    action: 'Ask the buyer to complete the next identity level, or to pay from a wallet.',
    retry: 'after_action',
    providerCodes: ['crypto_onramp_transaction_limit_reached', 'transaction_limit_reached'],
  },
  PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM: {
    category: 'limits',
    reason: 'The amount is above the maximum for a single payment.',
    action: 'Split the purchase into several receipts, or raise the limit.',
    retry: 'after_action',
    providerCodes: ['amount_too_large'],
  },
  PORTAL_PAY_AMOUNT_BELOW_MINIMUM: {
    category: 'limits',
    reason: 'The amount is below the minimum payment.',
    action: 'Create a new receipt with a larger total.',
    retry: 'after_action',
    providerCodes: ['amount_too_small'],
  },
  PORTAL_PAY_INSUFFICIENT_TOKENS: {
    category: 'blockchain',
    reason: 'The wallet does not hold enough of the token.',
    action: 'Ask the buyer to add tokens to the wallet or to choose another token.',
    retry: 'after_action',
    providerCodes: [],
  },
  PORTAL_PAY_INSUFFICIENT_GAS: {
    category: 'blockchain',
    reason: "The wallet does not hold enough of the network's native token for the fee.",
    action: 'Ask the buyer to add some of the native token to the wallet.',
    retry: 'after_action',
    providerCodes: [],
  },
  PORTAL_PAY_SIGNATURE_REJECTED: {
    category: 'blockchain',
    reason: 'The buyer declined the request in the wallet.',
    action: 'Ask the buyer to try again and to confirm in the wallet.',
    retry: 'yes',
    providerCodes: [],
  },
  PORTAL_PAY_SLIPPAGE_EXCEEDED: {
    category: 'blockchain',
    reason: 'The price changed more than allowed before the payment was made.',
    action: 'Ask the buyer to try again: the checkout offers a new price.',
    retry: 'yes',
    providerCodes: [],
  },
  PORTAL_PAY_CONTRACT_REVERTED: {
    category: 'blockchain',
    reason: 'The contract reverted the transaction.',
    action: 'Try again. If the transaction reverts again, choose another token or report it.',
    retry: 'yes',
    providerCodes: [],
  },
  PORTAL_PAY_WALLET_OWNERSHIP_FAILED: {
    category: 'blockchain',
    reason: "The buyer's ownership of the wallet could not be verified.",
    action: 'Ask the buyer to try again and to sign with the wallet that receives the tokens.',
    retry: 'after_action',
    providerCodes: [
      'wallet_ownership_challenge_expired',
      'invalid_wallet_ownership_challenge',
      'invalid_wallet_ownership_signature',
    ],
  },
  PORTAL_PAY_CHECKOUT_CLOSED: {
    category: 'session',
    reason: 'The checkout was closed before the payment was made.',
    action: 'Send the buyer the payment link again.',
    retry: 'yes',
    providerCodes: [],
  },
  PORTAL_PAY_SESSION_EXPIRED: {
    category: 'session',
    reason: 'The payment session expired before the payment was made.',
    action: 'Ask the buyer to open the payment link again.',
    retry: 'yes',
    providerCodes: [],
  },
  PORTAL_PAY_CANCELLED: {
    category: 'session',
    reason: 'The payment was cancelled.',
    action: 'Nothing was paid. Send the payment link again if the buyer still wants to pay.',
    retry: 'yes',
    providerCodes: [],
  },
  PORTAL_PAY_NETWORK_TIMEOUT: {
    category: 'system',
    reason: 'The payment provider did not respond in time.',
    action: 'Try again in a few minutes.',
    retry: 'yes',
    providerCodes: [],
  },
  PORTAL_PAY_PROCESSING_ERROR: {
    category: 'system',
    reason: 'The payment provider could not process the payment.',
    action:
      'Try again in a few minutes. If the error persists, contact the provider with the support reference.',
    retry: 'yes',
    providerCodes: ['processing_error', 'try_again_later', 'crypto_onramp_service_error'],
  },
  PORTAL_PAYMENT_FAILED: {
    category: 'system',
    reason: 'The payment failed for an unknown reason.',
    action: 'Ask the buyer to try again or use another payment method.',
    retry: 'yes',
    providerCodes: [],
  },
} as const satisfies Readonly<Record<string, Failure>>
