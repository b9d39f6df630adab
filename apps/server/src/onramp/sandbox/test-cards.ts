import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'

export type TestOutcome =
  | { readonly kind: 'paid' }
  | { readonly kind: 'failed'; readonly code: FailureCode }
  | { readonly kind: 'settles' }
  | { readonly kind: 'returned'; readonly code: FailureCode }

export const payingCard = '4242424242424242'

/**
 * Test card for each failure code. The third group of digits encodes the category and the index, the last
 * digit is the Luhn check digit.
 */
export const failingCards = {
  PORTAL_PAY_INSUFFICIENT_FUNDS: '4000000001010000',
  PORTAL_PAY_ISSUER_DECLINED: '4000000001020009',
  PORTAL_PAY_CARD_EXPIRED: '4000000001030008',
  PORTAL_PAY_WRONG_SECURITY_CODE: '4000000001040007',
  PORTAL_PAY_INVALID_CARD_NUMBER: '4000000001050006',
  PORTAL_PAY_DO_NOT_HONOR: '4000000001060005',
  PORTAL_PAY_RISK_BLOCKED: '4000000001070004',
  PORTAL_PAY_AUTHENTICATION_FAILED: '4000000001080003',
  PORTAL_PAY_BANK_POLICY: '4000000001090002',
  PORTAL_PAY_TRANSACTION_BLOCKED: '4000000002010009',
  PORTAL_PAY_IDENTITY_LEVEL_0_REQUIRED: '4000000002020008',
  PORTAL_PAY_IDENTITY_LEVEL_1_REQUIRED: '4000000002030007',
  PORTAL_PAY_IDENTITY_LEVEL_2_REQUIRED: '4000000002040006',
  PORTAL_PAY_DOCUMENT_UNREADABLE: '4000000002050005',
  PORTAL_PAY_BIRTH_DATE_MISMATCH: '4000000002060004',
  PORTAL_PAY_SANCTIONS_MATCH: '4000000002070003',
  PORTAL_PAY_UNDER_AGE: '4000000002080002',
  PORTAL_PAY_UNSUPPORTED_JURISDICTION: '4000000002090001',
  PORTAL_PAY_KYC_LIMIT_EXCEEDED: '4000000003010008',
  PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM: '4000000003020007',
  PORTAL_PAY_AMOUNT_BELOW_MINIMUM: '4000000003030006',
  PORTAL_PAY_INSUFFICIENT_TOKENS: '4000000004010007',
  PORTAL_PAY_INSUFFICIENT_GAS: '4000000004020006',
  PORTAL_PAY_SIGNATURE_REJECTED: '4000000004030005',
  PORTAL_PAY_SLIPPAGE_EXCEEDED: '4000000004040004',
  PORTAL_PAY_CONTRACT_REVERTED: '4000000004050003',
  PORTAL_PAY_WALLET_OWNERSHIP_FAILED: '4000000004060002',
  PORTAL_PAY_CHECKOUT_CLOSED: '4000000005010006',
  PORTAL_PAY_SESSION_EXPIRED: '4000000005020005',
  PORTAL_PAY_CANCELLED: '4000000005030004',
  PORTAL_PAY_NETWORK_TIMEOUT: '4000000006010005',
  PORTAL_PAY_PROCESSING_ERROR: '4000000006020004',
  PORTAL_PAYMENT_FAILED: '4000000006030003',
} as const satisfies Readonly<Record<FailureCode, string>>

/** Outcome of each test bank account after its debit is accepted. */
export const testAccounts = {
  '000123456789': { kind: 'settles' },
  '000111111116': { kind: 'returned', code: 'PORTAL_PAY_INSUFFICIENT_FUNDS' },
  '000222222227': { kind: 'returned', code: 'PORTAL_PAYMENT_FAILED' },
} as const satisfies Readonly<Record<string, TestOutcome>>

export const testRoutingNumber = '110000000'

const codeByCard = new Map(Object.entries(failingCards).map(([code, card]) => [card, code as FailureCode]))

/**
 * Returns the outcome of a card number, or `undefined` if it is not a test card. Ignores spaces and hyphens.
 */
export function evaluateCard(typed: string): TestOutcome | undefined {
  const number = typed.replace(/[\s-]/g, '')
  if (number === payingCard) return { kind: 'paid' }
  const code = codeByCard.get(number as (typeof failingCards)[FailureCode])
  return code && { kind: 'failed', code }
}

export function validateAccount(typed: string): TestOutcome | undefined {
  const number = typed.replace(/[\s-]/g, '')
  return Object.hasOwn(testAccounts, number) ? testAccounts[number as keyof typeof testAccounts] : undefined
}

export function groupDigits(number: string): string {
  return number.replace(/(\d{4})(?=\d)/g, '$1 ')
}

/**
 * Returns the error code that the sandbox reports for a failure. Prefers the first code of a real provider,
 * and is an unknown code for the unspecified failure.
 */
export function errorCodeOf(code: FailureCode): string {
  if (code === 'PORTAL_PAYMENT_FAILED') return 'sandbox_unspecified'
  return failures[code].providerCodes[0] ?? `sandbox_${code.replace('PORTAL_PAY_', '').toLowerCase()}`
}

const codeByErrorCode = new Map(
  (Object.keys(failures) as FailureCode[])
    .filter((code) => code !== 'PORTAL_PAYMENT_FAILED')
    .map((code) => [errorCodeOf(code), code]),
)

export function failureCodeOfSandbox(errorCode: string | null): FailureCode {
  return (errorCode === null ? undefined : codeByErrorCode.get(errorCode)) ?? 'PORTAL_PAYMENT_FAILED'
}
