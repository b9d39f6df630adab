import type { Clock } from '../../kernel/clock.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { quotedAssets, type RateCode, type RateReading, type RateSource } from './rate.ts'
import { memberOf, parseRateE8, readJson } from './read-source.ts'

const name = 'kraken'

/** Pair to request, and the legacy name under which Kraken returns it. */
const oldPairs: Readonly<Record<string, Pair>> = {
  ETH: ['ETHUSD', 'XETHZUSD'],
  BTC: ['XBTUSD', 'XXBTZUSD'],
  XRP: ['XRPUSD', 'XXRPZUSD'],
  USDT: ['USDTUSD', 'USDTZUSD'],
  EUR: ['EURUSD', 'ZEURZUSD'],
}

type Pair = readonly [asked: string, answered: string]

const pairs = new Map<RateCode, Pair>(
  [...quotedAssets(name), ['EUR', 'EUR'] as const].map(([code, asset]) => [
    code,
    oldPairs[asset] ?? [`${asset}USD`, `${asset}USD`],
  ]),
)

/** Reads the last trades from Kraken. The ticker contains no time, so the request time is used. */
export function krakenRates(
  needs: { outbound: Outbound; clock: Clock },
  options: { baseUrl?: string } = {},
): RateSource {
  const { baseUrl = 'https://api.kraken.com' } = options
  return {
    name,
    codes: [...pairs.keys()],
    async read(codes) {
      const asked = codes.map((code) => pairs.get(code)?.[0]).join(',')
      const askedAt = needs.clock.now()
      const response = await readJson(needs, `${baseUrl}/0/public/Ticker?pair=${asked}`)
      return codes.map((code): RateReading => {
        if ('error' in response) return { code, source: name, error: response.error }
        const ticker = memberOf(memberOf(response.json, 'result'), pairs.get(code)?.[1] ?? code)
        const usdPerUnit = parseRateE8(memberOf(memberOf(ticker, 'c'), '0'))
        if (usdPerUnit === undefined) return { code, source: name, error: 'unknown format of a ticker' }
        return { code, source: name, usdPerUnit, quotedAt: askedAt }
      })
    },
  }
}
