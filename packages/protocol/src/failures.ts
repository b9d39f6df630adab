/** What kind of failure it was (contract: Failure fields). */
export type FailureCategory = 'card_decline' | 'compliance' | 'limits' | 'blockchain' | 'session' | 'system'

/** The six failure fields of status answers and failure webhooks; all null unless the receipt failed. */
export type FailureFields = {
  readonly failureCode: string | null
  readonly failureCategory: FailureCategory | null
  readonly failureReason: string | null
  readonly failureAction: string | null
  readonly providerErrorCode: string | null
  readonly providerRequestId: string | null
}

/** The failure fields of everything that did not fail. */
export const noFailure: FailureFields = {
  failureCode: null,
  failureCategory: null,
  failureReason: null,
  failureAction: null,
  providerErrorCode: null,
  providerRequestId: null,
}

/** Failures Sluice itself establishes, without a provider. */
export const failures = {
  PORTAL_PAY_AMOUNT_BELOW_MINIMUM: {
    category: 'limits',
    reason: 'The amount is below the smallest payment this merchant takes.',
    action: 'Make a new receipt with a larger total.',
  },
  PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM: {
    category: 'limits',
    reason: 'The amount is above the largest payment this merchant takes.',
    action: 'Split the purchase over several receipts, or raise the limit.',
  },
} as const satisfies Record<string, { category: FailureCategory; reason: string; action: string }>
