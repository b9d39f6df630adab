import { isLocalNetwork, localNetwork } from '@sluice/protocol/networks/list.ts'
import { networkOf } from '@sluice/server/src/app/network.ts'
import { systemClock } from '@sluice/server/src/kernel/clock.ts'
import type { Outbound } from '@sluice/server/src/platform/outbound/outbound.ts'
import type { Config } from '@sluice/server/src/platform/settings/config.ts'
import { liveRates } from '@sluice/server/src/pricing/rates/live-rates.ts'
import type { RateSource } from '@sluice/server/src/pricing/rates/rate.ts'
import { broken, doubtful, type Finding, fine } from './finding.ts'

const advice = 'Let this machine connect to it directly: docs/operations.md lists the hosts.'

export async function checkRates(config: Pick<Config, 'chainId'>, outbound: Outbound): Promise<Finding[]> {
  if (isLocalNetwork(config.chainId)) return []
  const { tokens } = networkOf(config.chainId, undefined)
  const chain = {
    id: localNetwork.id,
    tokens,
    call: () => Promise.reject(new Error('no feeds are read here')),
  }
  const sources = liveRates({ outbound, clock: systemClock, chain }).filter(({ codes }) => codes.length > 0)
  const findings = await Promise.all(sources.map(checkSource))
  if (findings.some(({ result }) => result === 'ok')) return findings
  const text = 'no source responds: no token and no currency can be priced'
  return [...findings, broken('rates', text, advice)]
}

async function checkSource(source: RateSource): Promise<Finding> {
  const name = `rates ${source.name}`
  const readings = await source.read(source.codes)
  const missing = readings.flatMap((each) => ('error' in each ? [each] : []))
  const [first] = missing
  if (!first) return fine(name, `${readings.length} rates`)
  const text = `no rate of ${missing.map(({ code }) => code).join(', ')}: ${first.error}`
  return doubtful(name, text, advice)
}
