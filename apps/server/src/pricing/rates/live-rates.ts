import type { Chain } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { chainlinkRates } from './chainlink-rates.ts'
import { coinbaseRates } from './coinbase-rates.ts'
import { ecbRates } from './ecb-rates.ts'
import { krakenRates } from './kraken-rates.ts'
import type { RateSource } from './rate-source.ts'

const base = 8453

/** The sources of a deployment that takes real money. */
export function liveRates(needs: {
  outbound: Outbound
  clock: Clock
  chain: Pick<Chain, 'id' | 'call'>
}): RateSource[] {
  const { chain } = needs
  const feeds =
    chain.id === base ? [chainlinkRates({ call: (to, data, at) => chain.call(to, data, at) })] : []
  return [coinbaseRates(needs), krakenRates(needs), ecbRates(needs), ...feeds]
}
