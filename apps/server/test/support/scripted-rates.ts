import type { RateE8 } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { RateCode } from '../../src/pricing/rates/rate.ts'
import type { RateSource } from '../../src/pricing/rates/rate-source.ts'

/** A source of rates in which stablecoins cost a dollar, and ether what a test says. */
export type ScriptedRates = RateSource & {
  /** `undefined`: the source does not know. */
  etherPrice: bigint | undefined
}

/** Makes it; ether costs 2,500 dollars at first. `now` dates the rates. */
export function scriptedRates(codes: RateCode[], now: () => UnixMs): ScriptedRates {
  const source: ScriptedRates = {
    name: 'scripted',
    codes,
    etherPrice: 2_500n,
    read: async (asked) =>
      asked.map((code) => {
        const price = code === 'ETH' ? source.etherPrice : 1n
        if (price === undefined) return { code, source: 'scripted', fault: 'down' }
        const usdPerUnit = (price * 100_000_000n) as RateE8
        return { code, source: 'scripted', usdPerUnit, quotedAt: now() }
      }),
  }
  return source
}
