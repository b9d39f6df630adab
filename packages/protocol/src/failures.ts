import { type FailureCategory, failures } from './failure-catalogue.ts'

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

/** The value of `failureCode`. */
export type FailureCode = keyof typeof failures

/** What a provider said of a failure, from a signed event or an observation of the server's own. */
export type ProviderFault = { readonly errorCode: string | null; readonly requestId: string | null }

/** Codes of payments that the buyer ended, or left: nothing went wrong. */
export const stopCodes: readonly FailureCode[] = [
  'PORTAL_PAY_CANCELLED',
  'PORTAL_PAY_CHECKOUT_CLOSED',
  'PORTAL_PAY_SESSION_EXPIRED',
  'PORTAL_PAY_SIGNATURE_REJECTED',
]

/** Whether the buyer ended the payment, or left it. */
export function isStopCode(code: string | null | undefined): boolean {
  return stopCodes.some((each) => each === code)
}

const byProviderCode = new Map<string, FailureCode>(
  Object.entries(failures).flatMap(([code, { providerCodes }]) =>
    providerCodes.map((providerCode) => [providerCode, code as FailureCode] as const),
  ),
)

/** The failure code behind a provider's structured code; `PORTAL_PAYMENT_FAILED` for one that is not known. */
export function failureCodeOf(providerCode: string | null): FailureCode {
  return (providerCode === null ? undefined : byProviderCode.get(providerCode)) ?? 'PORTAL_PAYMENT_FAILED'
}

/** The failure fields of a code, with what the provider said where a provider said something. */
export function describeFailure(code: FailureCode, fault?: ProviderFault): FailureFields {
  const { category, reason, action } = failures[code]
  return {
    failureCode: code,
    failureCategory: category,
    failureReason: reason,
    failureAction: action,
    providerErrorCode: fault?.errorCode ?? null,
    providerRequestId: fault?.requestId ?? null,
  }
}
