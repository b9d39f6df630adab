import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'
import { failingCards, payingCard } from '@sluice/protocol/test-cards.ts'

export type TestOutcome =
  | { readonly kind: 'paid' }
  | { readonly kind: 'failed'; readonly code: FailureCode }
  | { readonly kind: 'settles' }
  | { readonly kind: 'returned'; readonly code: FailureCode }

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
 * Returns the error code that the sandbox reports for a failure. Uses a real provider's first code for the
 * failure if there is one. For the unspecified failure, returns a code that no catalog entry has.
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
