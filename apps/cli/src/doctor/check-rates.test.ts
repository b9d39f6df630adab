import type { Outbound, OutboundOutcome } from '@sluice/server/src/platform/outbound/outbound.ts'
import { expect, test } from 'vitest'
import { checkRates } from './check-rates.ts'

const base = { chainId: 8453 }
const error: OutboundOutcome = { kind: 'error', error: 'network', detail: 'ENETUNREACH' }
const results = async (outbound: Outbound) =>
  (await checkRates(base, outbound)).map(({ name, result }) => `${name}: ${result}`)

test('a machine without a way out is told which sources of rates it does not reach', async () => {
  const findings = await checkRates(base, { request: async () => error })
  expect(findings.map(({ name, result }) => `${name}: ${result}`)).toEqual([
    'rates coinbase: warn',
    'rates kraken: warn',
    'rates ecb: warn',
    'rates: fail',
  ])
  expect(findings[2]).toMatchObject({ text: 'no rate of EUR: network: ENETUNREACH' })
})

test('one source that responds is enough to go on, and the others are named', async () => {
  const body = Buffer.from("<Cube time='2026-07-01'><Cube currency='USD' rate='1.1'/></Cube>")
  const response: OutboundOutcome = { kind: 'response', status: 200, headers: {}, body }
  const outbound: Outbound = {
    request: async ({ url }) => (new URL(url).host === 'www.ecb.europa.eu' ? response : error),
  }
  expect(await results(outbound)).toEqual(['rates coinbase: warn', 'rates kraken: warn', 'rates ecb: ok'])
})

test('a local chain has fixed rates, and nothing is asked', async () =>
  expect(await checkRates({ chainId: 31337 }, { request: async () => error })).toEqual([]))
