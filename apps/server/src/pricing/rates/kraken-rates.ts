import type { Clock } from '../../kernel/clock.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import type { RateCode } from './rate.ts'
import type { RateReading, RateSource } from './rate-source.ts'
import { memberOf, parseRateE8, readJson } from './read-source.ts'

const name = 'kraken'

/** What to ask for, and the name Kraken answers under. Wrapped tokens are priced as what they can be redeemed for. */
const pairs: Readonly<Record<RateCode, readonly [asked: string, answered: string]>> = {
  ETH: ['ETHUSD', 'XETHZUSD'],
  cbBTC: ['XBTUSD', 'XXBTZUSD'],
  cbXRP: ['XRPUSD', 'XXRPZUSD'],
  USDC: ['USDCUSD', 'USDCUSD'],
  USDT: ['USDTUSD', 'USDTZUSD'],
  EUR: ['EURUSD', 'ZEURZUSD'],
}

/** Last trades on Kraken. The ticker carries no time, so the time of reading stands for it. */
export function krakenRates(
  needs: { outbound: Outbound; clock: Clock },
  options: { baseUrl?: string } = {},
): RateSource {
  const { baseUrl = 'https://api.kraken.com' } = options
  return {
    name,
    codes: Object.keys(pairs) as RateCode[],
    async read(codes) {
      const asked = codes.map((code) => pairs[code][0]).join(',')
      const askedAt = needs.clock.now()
      const answer = await readJson(needs, `${baseUrl}/0/public/Ticker?pair=${asked}`)
      return codes.map((code): RateReading => {
        if ('fault' in answer) return { code, source: name, fault: answer.fault }
        const ticker = memberOf(memberOf(answer.json, 'result'), pairs[code][1])
        const usdPerUnit = parseRateE8(memberOf(memberOf(ticker, 'c'), '0'))
        if (usdPerUnit === undefined) return { code, source: name, fault: 'unknown format of a ticker' }
        return { code, source: name, usdPerUnit, quotedAt: askedAt }
      })
    },
  }
}
