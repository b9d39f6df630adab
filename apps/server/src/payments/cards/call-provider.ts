import {
  describeFailure,
  type FailureCode,
  type FailureFields,
  failureCodeOf,
} from '@sluice/protocol/failures.ts'
import { type Clock, unlessAborted } from '../../kernel/clock.ts'
import {
  type OnrampProvider,
  type ProviderCall,
  ProviderUnavailable,
  type SessionError,
} from '../../onramp/provider.ts'

export const callTimeoutMs = 10_000

/**
 * Calls a provider, and abandons the call after {@link callTimeoutMs} or when the service stops.
 *
 * @throws {ProviderUnavailable} on timeout.
 */
export async function callProvider<T>(
  { clock }: { readonly clock: Clock },
  work: (call: ProviderCall) => Promise<T>,
  stopping?: AbortSignal,
): Promise<T> {
  const late = new AbortController()
  const cancel = clock.after(callTimeoutMs, () =>
    late.abort(new ProviderUnavailable('The payment provider did not respond in time; try again shortly')),
  )
  const signal = stopping ? AbortSignal.any([late.signal, stopping]) : late.signal
  try {
    return await unlessAborted(work({ signal }), signal)
  } finally {
    cancel()
  }
}

const codeForm = /^[\w.-]{1,128}$/
const requestForm = /^req_[\w-]{1,128}$/

/**
 * Returns the failure fields for a provider's error. The provider's own mapping of a code takes precedence
 * over the catalog's.
 */
export function describeError(
  { failureCodes }: Pick<OnrampProvider, 'failureCodes'>,
  error: SessionError | undefined,
): FailureFields {
  const errorCode = keep(error?.errorCode, codeForm)
  const requestId = keep(error?.requestId, requestForm)
  const own: FailureCode | undefined =
    errorCode !== null && Object.hasOwn(failureCodes, errorCode) ? failureCodes[errorCode] : undefined
  return describeFailure(own ?? failureCodeOf(errorCode), { errorCode, requestId })
}

function keep(text: string | null | undefined, form: RegExp): string | null {
  return typeof text === 'string' && form.test(text) ? text : null
}
