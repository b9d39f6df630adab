import { expect, test } from 'vitest'
import { TestClock } from '../../../test/support/test-clock.ts'
import { makeLog } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { openEndpoint } from './endpoint.ts'
import { EndpointUnavailable } from './rpc.ts'

const dayMs = 86_400_000

/** An endpoint that can be made unreachable, and the methods it was asked for. */
function openTest() {
  const clock = new TestClock()
  const state = { isAway: false, chainId: '0x2105' }
  const asked: string[] = []
  const outbound: Outbound = {
    async request({ body = '' }) {
      if (state.isAway) return { kind: 'fault', fault: 'network', detail: 'no route' }
      const calls = JSON.parse(body) as { id: number; method: string }[]
      asked.push(...calls.map(({ method }) => method))
      const answers = calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: state.chainId }))
      return { kind: 'answer', status: 200, headers: {}, body: Buffer.from(JSON.stringify(answers)) }
    },
  }
  const options = { url: 'https://rpc.example.com', chainId: 8453, hasSubstitute: true }
  const endpoint = openEndpoint({ outbound, clock, log: makeLog('silent') }, options)
  const ask = () => endpoint.ask([{ method: 'eth_blockNumber', params: [] }])
  return { clock, state, asked, ask }
}

test('one that was unreachable stands aside for two seconds, and not for as long as a clock was ahead', async () => {
  const { clock, state, ask } = openTest()
  const right = clock.now()
  clock.jumpTo(right + dayMs)
  state.isAway = true
  await expect(ask()).rejects.toThrow(EndpointUnavailable)
  state.isAway = false
  await expect(ask(), 'not at once').rejects.toThrow(EndpointUnavailable)
  clock.jumpTo(right)
  expect(await ask()).toHaveLength(1)
})

test('its chain id is asked again where it was checked by a clock that was ahead', async () => {
  const { clock, asked, ask } = openTest()
  const right = clock.now()
  clock.jumpTo(right + dayMs)
  await ask()
  clock.jumpTo(right)
  await ask()
  expect(asked.filter((method) => method === 'eth_chainId')).toHaveLength(2)
})
