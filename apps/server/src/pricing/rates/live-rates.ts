import type { RateE8 } from '@sluice/protocol/money.ts'
import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import type { Chain } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { chainlinkRates } from './chainlink-rates.ts'
import { coinbaseRates } from './coinbase-rates.ts'
import { ecbRates } from './ecb-rates.ts'
import { krakenRates } from './kraken-rates.ts'
import type { RateCode, RateSource } from './rate.ts'

const makers = [coinbaseRates, krakenRates, ecbRates, chainlinkRates]

/**
 * Returns all rate sources: exchanges, the European Central Bank and the chain's price feeds. They quote the
 * euro and the tokens of the chain.
 */
export function liveRates(needs: {
  outbound: Outbound
  clock: Clock
  chain: Pick<Chain, 'id' | 'call' | 'tokens'>
}): RateSource[] {
  const wanted = new Set<RateCode>(['EUR', ...needs.chain.tokens.map(({ symbol }) => symbol)])
  return makers.map((make) => {
    const source = make(needs)
    return { ...source, codes: source.codes.filter((code) => wanted.has(code)) }
  })
}

const prices = new Map<RateCode, bigint>([
  ...tokenKinds.map(({ symbol, local }) => [symbol, local.usdE8] as const),
  ['EUR', 108_000_000n],
])

/** Returns constant prices for development, without network access. */
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
