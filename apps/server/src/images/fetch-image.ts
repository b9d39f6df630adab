import type { Clock } from '../kernel/clock.ts'
import type { TargetRules } from '../platform/outbound/make-connector.ts'
import type { Outbound, OutboundOutcome } from '../platform/outbound/outbound.ts'
import { type ImageError, imageLimits } from './image.ts'

export const imageTargets: TargetRules = { targets: 'public', allowHttp: false }

const headers = {
  accept: 'image/avif,image/webp,image/png,image/jpeg,image/gif',
  'accept-encoding': 'identity',
  'user-agent': 'Sluice-Image/1.0',
}

/**
 * Returns the bytes at a URL, or the reason for the failure.
 *
 * Follows up to `redirects` redirects and validates every address. `fetchMs` covers all requests together.
 */
export async function fetchImage(
  needs: { outbound: Outbound; clock: Clock },
  url: string,
): Promise<Uint8Array | ImageError> {
  const { outbound, clock } = needs
  const deadline = clock.now() + imageLimits.fetchMs
  let next = url
  for (let hop = 0; hop <= imageLimits.redirects; hop++) {
    const timeoutMs = deadline - clock.now()
    if (timeoutMs <= 0) return 'unreachable'
    const outcome = await outbound.request({
      method: 'GET',
      url: next,
      headers,
      timeoutMs,
      maxResponseBytes: imageLimits.bytes,
    })
    const target = redirectOf(outcome, next)
    if (target === undefined) return bytesOf(outcome)
    next = target
  }
  return 'refused'
}

function redirectOf(outcome: OutboundOutcome, from: string): string | undefined {
  if (outcome.kind !== 'response' || ![301, 302, 303, 307, 308].includes(outcome.status)) return undefined
  const { location } = outcome.headers
  return location !== undefined && URL.canParse(location, from) ? new URL(location, from).href : undefined
}

function bytesOf(outcome: OutboundOutcome): Uint8Array | ImageError {
  if (outcome.kind === 'response') return outcome.status === 200 ? outcome.body : 'unreachable'
  if (outcome.error === 'refused-target') return 'refused'
  return outcome.error === 'too-large' ? 'too-large' : 'unreachable'
}
