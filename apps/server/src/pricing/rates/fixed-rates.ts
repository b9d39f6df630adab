import type { RateE8 } from '@sluice/protocol/money.ts'
import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { RateCode } from './rate.ts'
import type { RateSource } from './rate-source.ts'

const prices = new Map<RateCode, bigint>([
  ...tokenKinds.map(({ symbol, local }) => [symbol, local.usdE8] as const),
  ['EUR', 108_000_000n],
])

/** Prices that never move, for development: always fresh, no network. */
export function fixedRates(needs: { clock: Clock }): RateSource {
  return {
    name: 'fixed',
    codes: [...prices.keys()],
    read: async (codes) =>
      codes.map((code) => ({
        code,
        source: 'fixed',
        usdPerUnit: prices.get(code) as RateE8,
        quotedAt: needs.clock.now(),
      })),
  }
}
