import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { quotedAssets, type RateCode, type RateReading, type RateSource } from './rate.ts'
import { memberOf, parseRateE8, readJson } from './read-source.ts'

const name = 'coinbase'

const assets = quotedAssets(name)

export function coinbaseRates(needs: { outbound: Outbound }, options: { baseUrl?: string } = {}): RateSource {
  const { baseUrl = 'https://api.exchange.coinbase.com' } = options
  return {
    name,
    codes: [...assets.keys()],
    read: (codes) => Promise.all(codes.map((code) => readProduct(needs, baseUrl, code))),
  }
}

async function readProduct(
  needs: { outbound: Outbound },
  baseUrl: string,
  code: RateCode,
): Promise<RateReading> {
  const response = await readJson(needs, `${baseUrl}/products/${assets.get(code)}-USD/ticker`)
  if ('error' in response) return { code, source: name, error: response.error }
  const usdPerUnit = parseRateE8(memberOf(response.json, 'price'))
  const quotedAt = parseTime(memberOf(response.json, 'time'))
  if (usdPerUnit === undefined || quotedAt === undefined)
    return { code, source: name, error: 'unknown format of a ticker' }
  return { code, source: name, usdPerUnit, quotedAt }
}

function parseTime(text: unknown): UnixMs | undefined {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text))
    return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : (time as UnixMs)
}
