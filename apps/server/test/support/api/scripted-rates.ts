import type { RateE8 } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import type { RateCode } from '../../../src/pricing/rates/rate.ts'
import type { RateSource } from '../../../src/pricing/rates/rate-source.ts'

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

/** The price of the euro as a test sets it; there is none where it is `undefined`. */
export type MovingEuro = RateSource & { usd: number | undefined }

/** Makes one at 1.08 USD. */
export function movingEuro(clockOf: () => Pick<Clock, 'now'>): MovingEuro {
  const source: MovingEuro = {
    name: 'moving',
    codes: ['EUR'],
    usd: 1.08,
    async read() {
      if (source.usd === undefined) return []
      const usdPerUnit = BigInt(Math.round(source.usd * 1e8)) as RateE8
      return [{ code: 'EUR', source: 'moving', usdPerUnit, quotedAt: clockOf().now() }]
    },
  }
  return source
}
