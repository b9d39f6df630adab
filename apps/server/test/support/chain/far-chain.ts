import type { Outbound } from '../../../src/platform/outbound/outbound.ts'

/** As far away as a provider's endpoint: each answer takes this much longer than the node needs for it. */
export const farAwayMs = 150

/** Puts a chain far away: for `startPaymentWorld({ outbound })`, from when `isFar` says so. */
export function farChain(isFar: () => boolean = () => true): (real: Outbound) => Outbound {
  return (real) => ({
    async request(request) {
      // The way to a provider and back, which no condition of ours can stand for.
      if (isFar()) await new Promise((resolve) => setTimeout(resolve, farAwayMs))
      return real.request(request)
    },
  })
}
