import type { RateE8 } from '@sluice/protocol/money.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import type { RateSource } from '../../../src/pricing/rates/rate-source.ts'

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
