import type { RateE8 } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { RateCode, RateSource } from '../../../src/pricing/rates/rate.ts'

/**
 * Creates a source of the rates in `usd`, which a test may change. A rate of `undefined` is unknown.
 *
 * @param now - Returns the time of the quotes.
 */
export function scriptedRates(usd: Partial<Record<RateCode, number | undefined>>, now: () => UnixMs) {
  const source: RateSource = {
    name: 'scripted',
    codes: Object.keys(usd) as RateCode[],
    read: async (asked) =>
      asked.map((code) => {
        const price = usd[code]
        if (price === undefined) return { code, source: 'scripted', error: 'down' }
        const usdPerUnit = BigInt(Math.round(price * 1e8)) as RateE8
        return { code, source: 'scripted', usdPerUnit, quotedAt: now() }
      }),
  }
  return { ...source, usd }
}
