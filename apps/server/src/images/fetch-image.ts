import type { Clock } from '../kernel/clock.ts'
import type { TargetRules } from '../platform/outbound/make-connector.ts'
import type { Outbound, OutboundOutcome } from '../platform/outbound/outbound.ts'
import { type ImageFault, imageLimits } from './image.ts'

/** What pictures may be fetched from: public addresses over https, in development too. */
export const imageTargets: TargetRules = { targets: 'public', allowHttp: false }

const headers = {
  accept: 'image/avif,image/webp,image/png,image/jpeg,image/gif',
  'accept-encoding': 'identity',
  'user-agent': 'Sluice-Image/1.0',
}

/**
 * The bytes behind a URL, or why there are none. Redirects are followed a few times; each address on the way is judged
 * as the first one was, and all together have the time of one.
 */
export async function fetchImage(
  needs: { outbound: Outbound; clock: Clock },
  url: string,
): Promise<Uint8Array | ImageFault> {
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

/** Where an answer sends us on to; `undefined` where it is no redirect. */
function redirectOf(outcome: OutboundOutcome, from: string): string | undefined {
  if (outcome.kind !== 'answer' || ![301, 302, 303, 307, 308].includes(outcome.status)) return undefined
  const { location } = outcome.headers
  return location !== undefined && URL.canParse(location, from) ? new URL(location, from).href : undefined
}

function bytesOf(outcome: OutboundOutcome): Uint8Array | ImageFault {
  if (outcome.kind === 'answer') return outcome.status === 200 ? outcome.body : 'unreachable'
  if (outcome.fault === 'refused-target') return 'refused'
  return outcome.fault === 'too-large' ? 'too-large' : 'unreachable'
}
