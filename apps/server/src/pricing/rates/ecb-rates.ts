import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import type { RateReading, RateSource } from './rate.ts'
import { parseRateE8, readText } from './read-source.ts'

const name = 'ecb'

/** The rate changes once per working day, so frequent requests are unnecessary. */
const readEveryMs = 600_000

/**
 * 14:15 in Frankfurt during summer time, when the rates are set. This is the earlier of the two UTC times, so
 * that a rate never seems newer than it is.
 */
const setAtMs = (12 * 60 + 15) * 60_000

/**
 * Reads the European Central Bank's euro reference rate. The rate is stale from Sunday to Monday afternoon.
 */
export function ecbRates(
  needs: { outbound: Outbound; clock: Clock },
  options: { baseUrl?: string } = {},
): RateSource {
  const { baseUrl = 'https://www.ecb.europa.eu' } = options
  let last: { readonly reading: RateReading; readonly readAt: UnixMs } | undefined
  return {
    name,
    codes: ['EUR'],
    async read() {
      const now = needs.clock.now()
      if (last && Math.abs(now - last.readAt) < readEveryMs) return [last.reading]
      const reading = await readRate(needs, `${baseUrl}/stats/eurofxref/eurofxref-daily.xml`)
      last = 'usdPerUnit' in reading ? { reading, readAt: now } : undefined
      return [reading]
    },
  }
}

async function readRate(needs: { outbound: Outbound }, url: string): Promise<RateReading> {
  const response = await readText(needs, url)
  if ('error' in response) return { code: 'EUR', source: name, error: response.error }
  const days = [...response.text.matchAll(/<Cube time=['"](\d{4}-\d\d-\d\d)['"]>/g)]
  const rates = [...response.text.matchAll(/<Cube currency=['"]USD['"] rate=['"]([0-9.]{1,20})['"]\/>/g)]
  const day = Date.parse(`${days[0]?.[1]}T00:00:00Z`)
  const usdPerUnit = parseRateE8(rates[0]?.[1])
  if (days.length !== 1 || rates.length !== 1 || Number.isNaN(day) || usdPerUnit === undefined)
    return { code: 'EUR', source: name, error: 'unknown format of the daily rates' }
  return { code: 'EUR', source: name, usdPerUnit, quotedAt: addMs(day as UnixMs, setAtMs) }
}
