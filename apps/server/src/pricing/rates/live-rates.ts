import type { Chain } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { chainlinkRates } from './chainlink-rates.ts'
import { coinbaseRates } from './coinbase-rates.ts'
import { ecbRates } from './ecb-rates.ts'
import { krakenRates } from './kraken-rates.ts'
import type { RateSource } from './rate-source.ts'

/** Whom a deployment that takes real money asks. */
const makers = [coinbaseRates, krakenRates, ecbRates, chainlinkRates]

/** The sources of a deployment that takes real money. */
export function liveRates(needs: {
  outbound: Outbound
  clock: Clock
  chain: Pick<Chain, 'id' | 'call'>
}): RateSource[] {
  return makers.map((make) => make(needs))
}
