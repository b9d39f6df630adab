import { unlessAborted } from '../../kernel/abort.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { ProviderCall } from '../../onramp/provider.ts'
import { ProviderUnavailable } from '../../onramp/provider-unavailable.ts'

/** What a call of a provider may take; a buyer waits for the first. */
export const callTimeoutMs = 10_000

/**
 * A call of a provider, bounded whatever the provider does: over time, or when the service stops, it is left.
 *
 * @throws {ProviderUnavailable} over time.
 */
export async function callProvider<T>(
  { clock }: { readonly clock: Clock },
  work: (call: ProviderCall) => Promise<T>,
  stopping?: AbortSignal,
): Promise<T> {
  const late = new AbortController()
  const cancel = clock.after(callTimeoutMs, () =>
    late.abort(new ProviderUnavailable('The payment provider does not answer in time; try again shortly')),
  )
  const signal = stopping ? AbortSignal.any([late.signal, stopping]) : late.signal
  try {
    return await unlessAborted(work({ signal }), signal)
  } finally {
    cancel()
  }
}
