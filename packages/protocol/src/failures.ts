import { type FailureCategory, failures } from './failure-catalogue.ts'

export type FailureFields = {
  readonly failureCode: string | null
  readonly failureCategory: FailureCategory | null
  readonly failureReason: string | null
  readonly failureAction: string | null
  readonly providerErrorCode: string | null
  readonly providerRequestId: string | null
}

export const noFailure: FailureFields = {
  failureCode: null,
  failureCategory: null,
  failureReason: null,
  failureAction: null,
  providerErrorCode: null,
  providerRequestId: null,
}

export type FailureCode = keyof typeof failures

export type ProviderError = { readonly errorCode: string | null; readonly requestId: string | null }

/** Codes for payments that the buyer cancelled or left. They are not errors. */
export const stopCodes: readonly FailureCode[] = [
  'PORTAL_PAY_CANCELLED',
  'PORTAL_PAY_CHECKOUT_CLOSED',
  'PORTAL_PAY_SESSION_EXPIRED',
  'PORTAL_PAY_SIGNATURE_REJECTED',
]

export function isStopCode(code: string | null | undefined): boolean {
  return stopCodes.some((each) => each === code)
}

const byProviderCode = new Map<string, FailureCode>(
  Object.entries(failures).flatMap(([code, { providerCodes }]) =>
    providerCodes.map((providerCode) => [providerCode, code as FailureCode] as const),
  ),
)

export function failureCodeOf(providerCode: string | null): FailureCode {
  return (providerCode === null ? undefined : byProviderCode.get(providerCode)) ?? 'PORTAL_PAYMENT_FAILED'
}

export function describeFailure(code: FailureCode, error?: ProviderError): FailureFields {
  const { category, reason, action } = failures[code]
  return {
    failureCode: code,
    failureCategory: category,
    failureReason: reason,
    failureAction: action,
    providerErrorCode: error?.errorCode ?? null,
    providerRequestId: error?.requestId ?? null,
  }
}
