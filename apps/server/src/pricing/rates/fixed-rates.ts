import type { RateE8 } from '@sluice/protocol/money.ts'
import type { Clock } from '../../kernel/clock.ts'
import { oneDollar, type RateCode } from './rate.ts'
import type { RateSource } from './rate-source.ts'

const prices: Readonly<Record<RateCode, bigint>> = {
  ETH: 2_500n * oneDollar,
  cbBTC: 60_000n * oneDollar,
  cbXRP: 50_000_000n,
  USDC: oneDollar,
  USDT: oneDollar,
  EUR: 108_000_000n,
}

/** Prices that never move, for development: always fresh, no network. */
export function fixedRates(needs: { clock: Clock }): RateSource {
  return {
    name: 'fixed',
    codes: Object.keys(prices) as RateCode[],
    read: async (codes) =>
      codes.map((code) => ({
        code,
        source: 'fixed',
        usdPerUnit: prices[code] as RateE8,
        quotedAt: needs.clock.now(),
      })),
  }
}
