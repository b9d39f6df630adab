import { nativeAddress } from '@sluice/protocol/wallet.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TestClock } from '../../../test/support/test-clock.ts'
import { makeLog } from '../../platform/log.ts'
import type { Outbound, OutboundOutcome } from '../../platform/outbound/outbound.ts'
import type { Chain, Hex } from '../chain.ts'
import { ChainUnavailable } from '../chain-time.ts'
import { describeNetwork } from '../networks.ts'
import { connectChain } from './connect-chain.ts'
import { EndpointUnavailable } from './rpc.ts'

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
type Script = (call: Call, url: string) => unknown

const network = describeNetwork(31337, { factory: nativeAddress, tokens: {} })
const hash = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`
const header = (n: number, salt = 0) => ({
  number: `0x${n.toString(16)}`,
  hash: hash(1_000 * salt + n + 1),
  parentHash: hash(1_000 * salt + n),
  timestamp: '0x65000000',
})

function scripted(script: Script, urls = ['http://one.example'], mostCalls = Number.POSITIVE_INFINITY) {
  const sent: Call[][] = []
  const outbound: Outbound = {
    async request(request) {
      const calls = JSON.parse(request.body ?? '[]') as Call[]
      sent.push(calls)
      if (calls.length > mostCalls) return responseOf(JSON.stringify(tooMany), 400)
      const responses = calls.map((call) => {
        const result = call.method === 'eth_chainId' ? '0x7a69' : script(call, request.url)
        const isFailure = result instanceof Error
        const outcome = isFailure ? { error: { code: -32_000, message: result.message } } : { result }
        return { jsonrpc: '2.0', id: call.id, ...outcome }
      })
      return responseOf(JSON.stringify(responses))
    },
  }
  return { ...connect(outbound, urls), sent }
}

const tooMany = { jsonrpc: '2.0', id: null, error: { code: -32014, message: 'maximum 10 calls in 1 batch' } }

function connect(outbound: Outbound, urls = ['http://a.example']): { chain: Chain; clock: TestClock } {
  const clock = new TestClock()
  return { chain: connectChain({ outbound, clock, log: makeLog('silent') }, network, urls), clock }
}

function responseOf(text: string, status = 200): OutboundOutcome {
  return { kind: 'response', status, headers: {}, body: Buffer.from(text) }
}

const reads: ((chain: Chain) => Promise<unknown>)[] = [
  (chain) => chain.readHead(),
  (chain) => chain.findHeader(3n),
  (chain) => chain.readHeaders(1n, 3n),
  (chain) => chain.readBlocks(1n, 3n),
  (chain) => chain.readLogs({ from: 1n, to: 3n, topics: [] }),
  (chain) => chain.readBalances([nativeAddress], 3n),
  (chain) => chain.readHasCode([nativeAddress]),
  (chain) => chain.call(nativeAddress, '0x'),
  (chain) => chain.findReceipt(hash(1)),
  (chain) => chain.readNonce(nativeAddress, 'pending'),
  (chain) => chain.readFees(),
  (chain) => chain.estimateGas({ from: nativeAddress, to: nativeAddress, data: '0x' }),
  (chain) => chain.sendRaw('0x00'),
]

const hostile = fc.oneof(
  fc.jsonValue(),
  fc.record({
    number: fc.jsonValue(),
    hash: fc.constantFrom(hash(1), '0x1', null),
    parentHash: fc.constantFrom(hash(0), 7),
    timestamp: fc.constantFrom('0x1', `0x${'f'.repeat(64)}`, 'soon'),
    transactions: fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())),
  }),
  fc.array(
    fc.record({ topics: fc.jsonValue(), data: fc.constantFrom('0x', '0x0', null), address: fc.jsonValue() }),
  ),
)

describe('whatever an endpoint answers', () => {
  test('is read, or makes the chain unavailable, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, fc.nat(reads.length - 1), async (value, which) => {
        const { chain } = scripted(() => value)
        await reads[which]?.(chain).catch((error: unknown) => {
          expect(error).toBeInstanceOf(ChainUnavailable)
        })
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['no JSON', responseOf('<html>')],
    ['nothing', responseOf('')],
    ['a single object', responseOf('{"result":1}')],
    ['a server error', responseOf('[]', 502)],
    ['too few answers', responseOf('[]')],
    ['a timeout', { kind: 'error', error: 'timeout', detail: '' } as const],
    ['no connection', { kind: 'error', error: 'network', detail: '' } as const],
  ])('%s is no answer', async (_, outcome) => {
    const { chain } = connect({ request: async () => outcome })
    for (const read of reads) await expect(read(chain)).rejects.toThrow(ChainUnavailable)
  })
})

test('blocks that do not follow one another are two views of the chain, and none is taken', async () => {
  const { chain } = scripted(({ params }) => header(Number(params[0]), Number(params[0]) === 2 ? 5 : 0))
  await expect(chain.readHeaders(1n, 3n)).rejects.toThrow(ChainUnavailable)
})

test('logs that were not asked for are not taken', async () => {
  const place = { blockNumber: '0x2', blockHash: hash(2), transactionHash: hash(3), logIndex: '0x0' }
  const { chain } = scripted(() => [{ address: nativeAddress, topics: [hash(9)], data: '0x', ...place }])
  expect(await chain.readLogs({ from: 2n, to: 2n, topics: [hash(9)] })).toHaveLength(1)
  await expect(chain.readLogs({ from: 2n, to: 2n, topics: [hash(8)] })).rejects.toThrow(ChainUnavailable)
})

test('the chain id is asked with the first request and again after a minute', async () => {
  const { chain, sent, clock } = scripted(() => '0x1')
  const asked = () => sent.flat().filter(({ method }) => method === 'eth_chainId').length
  await chain.readBalances([nativeAddress], 1n)
  await chain.readBalances([nativeAddress], 1n)
  expect(asked()).toBe(1)
  await clock.advance(60_000)
  await chain.readBalances([nativeAddress], 1n)
  expect(asked()).toBe(2)
  clock.jumpTo(clock.now() - 86_400_000)
  await chain.readBalances([nativeAddress], 1n)
  expect(asked(), 'the clock was a day ahead').toBe(3)
})

test('an endpoint that takes small batches only is asked in such, and remembered so', async () => {
  const { chain, sent } = scripted(({ params }) => header(Number(params[0])), undefined, 10)
  const headers = await chain.readHeaders(1n, 40n)
  expect(headers.map(({ number }) => Number(number))).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
  sent.length = 0
  await chain.readHeaders(1n, 40n)
  expect(Math.max(...sent.map(({ length }) => length))).toBeLessThanOrEqual(10)
})

const ofHeight =
  (height: number): Script =>
  ({ params }) =>
    params[0] === 'latest' ? header(height) : params[0] === '0x0' ? header(0) : null

test('an old chain of which nothing is said to be final is not taken for one that has just begun', async () => {
  await expect(scripted(ofHeight(30_000_000)).chain.readHead()).rejects.toThrow(ChainUnavailable)
})

test('a chain that has just begun has its first block for safe and final', async () => {
  const head = await scripted(ofHeight(3)).chain.readHead()
  expect([head.latest.number, head.safe.number, head.final.number]).toEqual([3n, 0n, 0n])
})

test.each([
  null,
  new Error('safe block not found'),
])('a chain without safe blocks has its final block for safe: %s', async (nothing) => {
  const script: Script = ({ params: [tag] }) =>
    tag === 'safe' ? nothing : header(tag === 'latest' ? 20_000 : tag === '0x0' ? 0 : 19_990)
  const head = await scripted(script).chain.readHead()
  expect([head.latest.number, head.safe.number, head.final.number]).toEqual([20_000n, 19_990n, 19_990n])
})

describe('of several endpoints', () => {
  const urls = ['http://one.example', 'http://two.example', 'http://three.example']

  test('the head is the highest block two of them have', async () => {
    const heights: Record<string, number> = { one: 30, two: 20, three: 10 }
    const heightOf = (url: string) => heights[new URL(url).hostname.split('.')[0] ?? ''] ?? 0
    const script: Script = ({ params }, url) => {
      const tag = String(params[0])
      const height = heightOf(url)
      if (tag.startsWith('0x')) return Number(tag) <= height ? header(Number(tag)) : null
      return header(tag === 'latest' ? height : tag === 'safe' ? height - 2 : height - 4)
    }
    const head = await scripted(script, urls).chain.readHead()
    expect([head.latest.number, head.safe.number, head.final.number]).toEqual([20n, 18n, 16n])
  })

  test('one that was unreachable stands aside for two seconds, and not for as long as a clock was ahead', async () => {
    const dayMs = 86_400_000
    const right = Date.UTC(2026, 0, 15)
    let isAway = true
    const { chain, clock, sent } = scripted((_, url) => {
      if (isAway && url.includes('one')) throw new EndpointUnavailable('unreachable', 'no route')
      return '0x1'
    }, urls)
    const toOne = async () => {
      const before = sent.length
      await chain.readBalances([nativeAddress], 1n)
      return sent.length - before
    }
    clock.jumpTo(right + dayMs)
    await toOne()
    isAway = false
    expect(await toOne()).toBe(urls.length - 1)
    clock.jumpTo(right)
    expect(await toOne()).toBe(urls.length)
  })

  test('two that agree outvote a third', async () => {
    const script: Script = ({ params }, url) => header(Number(params[0]), url.includes('two') ? 4 : 0)
    expect((await scripted(script, urls).chain.findHeader(3n))?.hash).toBe(hash(4))
  })

  test('what became of a payment in a block is taken from no single one', async () => {
    const script: Script = ({ params }, url) => {
      if (params[0] !== hash(9)) return header(20)
      const status = url.includes('one') ? '0x1' : '0x0'
      const place = { transactionHash: hash(9), blockNumber: '0x3', blockHash: hash(4) }
      return { ...place, status, logs: [], gasUsed: '0x5208' }
    }
    const { chain } = scripted(script, urls)
    expect((await chain.findReceipt(hash(9)))?.isSuccess).toBe(true)
    expect((await chain.findReceipt(hash(9), 3n))?.isSuccess).toBe(false)
    const two = scripted(script, urls.slice(0, 2)).chain
    await expect(two.findReceipt(hash(9), 3n)).rejects.toThrow(ChainUnavailable)
  })

  test('nor is what it logged', async () => {
    const script: Script = ({ params }, url) => {
      if (params[0] !== hash(9)) return header(20)
      const place = { transactionHash: hash(9), blockNumber: '0x3', blockHash: hash(4) }
      const data = url.includes('one') ? '0x01' : '0x02'
      const log = {
        ...place,
        address: `0x${'12'.repeat(20)}`,
        topics: [],
        data,
        logIndex: '0x0',
        removed: false,
      }
      return { ...place, status: '0x1', logs: [log], gasUsed: '0x5208' }
    }
    expect((await scripted(script, urls).chain.findReceipt(hash(9), 3n))?.logs[0]?.data).toBe('0x02')
    const two = scripted(script, urls.slice(0, 2)).chain
    await expect(two.findReceipt(hash(9), 3n)).rejects.toThrow(ChainUnavailable)
  })
})
