import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { describe, expect, test } from 'vitest'
import { TestClock } from '../../../test/support/test-clock.ts'
import { makeLog } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import type { Hex, NewsQuestion } from '../chain.ts'
import { describeNetwork } from '../networks.ts'
import { connectChain } from './connect-chain.ts'

const network = describeNetwork(31337, { factory: nativeAddress, tokens: {} })
const hash = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`
const header = (n: number) => ({
  number: `0x${n.toString(16)}`,
  hash: hash(n + 1),
  parentHash: hash(n),
  timestamp: '0x65000000',
})
const log = (block: number) => ({
  address: nativeAddress,
  topics: [hash(9)],
  data: '0x',
  blockNumber: `0x${block.toString(16)}`,
  blockHash: hash(block + 1),
  transactionHash: hash(77),
  logIndex: '0x0',
})
const refusal = { code: -32005, message: 'query returned more than 10000 results' }

/** What one endpoint says: how high it is, its logs and the balance of the one account. */
type Endpoint = { height: number; logs?: unknown; balance?: unknown; isAway?: boolean; refuses?: boolean }

/** A look at the chain that these endpoints serve, all but the newest block of which was read. */
async function look(...endpoints: Endpoint[]) {
  const urls = endpoints.map((_, i) => `http://${i}.example`)
  let requests = 0
  const outbound: Outbound = {
    async request({ url, body = '[]' }) {
      requests += 1
      const endpoint = endpoints[urls.indexOf(url)]
      if (!endpoint || endpoint.isAway) return { kind: 'fault', fault: 'network', detail: 'ECONNREFUSED' }
      const { height, logs = [], balance = '0x5', refuses = false } = endpoint
      const answers = (JSON.parse(body) as { id: number; method: string; params: unknown[] }[]).map(
        (call) => {
          const [first] = call.params
          if (call.method === 'eth_getLogs' && refuses) return { id: call.id, error: refusal }
          if (call.method === 'eth_chainId') return { id: call.id, result: '0x7a69' }
          if (call.method === 'eth_getLogs') return { id: call.id, result: logs }
          if (call.method === 'eth_getBalance') return { id: call.id, result: balance }
          const tags: Record<string, number> = { latest: height, safe: 3, finalized: 1 }
          return { id: call.id, result: header(tags[String(first)] ?? Number(first)) }
        },
      )
      return { kind: 'answer', status: 200, headers: {}, body: Buffer.from(JSON.stringify(answers)) }
    },
  }
  const chain = connectChain({ outbound, clock: new TestClock(), log: makeLog('silent') }, network, urls)
  const question: NewsQuestion = {
    from: 9n,
    patterns: [{ topics: [hash(9)] }],
    isNews: ({ blockNumber }) => blockNumber > 9n,
    balances: new Map([[nativeAddress, 5n]]),
  }
  const { head, isStill } = await chain.lookForNews(question)
  return { latest: Number(head.latest.number), isStill, requests }
}

describe('one endpoint', () => {
  test('is asked once, and nothing is new where it has neither a new log nor another balance', async () => {
    expect(await look({ height: 10 })).toEqual({ latest: 10, isStill: true, requests: 1 })
    expect(await look({ height: 10, logs: [log(9)] })).toMatchObject({ isStill: true })
  })

  test.each<[string, Omit<Endpoint, 'height'>]>([
    ['a new log', { logs: [log(9), log(10)] }],
    ['more of the coin', { balance: '0x6' }],
    ['less of the coin', { balance: '0x4' }],
    ['a balance that cannot be read', { balance: 'much' }],
    ['logs that cannot be read', { logs: [{ ...log(9), removed: true }] }],
    ['no list of logs', { logs: null }],
    ['an error instead of logs', { refuses: true }],
  ])('that has %s may have news', async (_, says) => {
    expect(await look({ height: 10, ...says })).toMatchObject({ latest: 10, isStill: false })
  })
})

describe('of several endpoints', () => {
  test('each is asked once, and all have to say that nothing is new', async () => {
    expect(await look({ height: 10 }, { height: 10 })).toEqual({ latest: 10, isStill: true, requests: 2 })
    const hidden = [{ height: 10 }, { height: 10, logs: [log(10)] }] as const
    expect(await look(...hidden)).toMatchObject({ isStill: false })
    expect(await look(...hidden.toReversed())).toMatchObject({ isStill: false })
    expect(await look({ height: 10 }, { height: 10, balance: '0x6' })).toMatchObject({ isStill: false })
  })

  test('the head is no higher than two of them have it', async () => {
    expect(await look({ height: 12 }, { height: 10 }, { height: 11 })).toMatchObject({
      latest: 11,
      isStill: true,
    })
  })

  test('one alone says nothing about what is new, and its final block is the head', async () => {
    const alone = await look({ height: 10 }, { height: 10, isAway: true })
    expect(alone).toMatchObject({ latest: 1, isStill: false })
  })
})
