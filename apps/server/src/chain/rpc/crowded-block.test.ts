import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { describe, expect, test } from 'vitest'
import { TestClock } from '../../../test/support/test-clock.ts'
import { makeLog } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import type { Chain, Hex } from '../chain.ts'
import { ChainUnavailable } from '../chain-time.ts'
import { describeNetwork } from '../networks.ts'
import { connectChain } from './connect-chain.ts'

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
type RawFilter = { fromBlock: Hex; toBlock: Hex; address?: string[]; topics: (string | string[] | null)[] }
type RawLog = ReturnType<typeof rawLog>

const word = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`
const blockHash = (n: number) => word(1_000 + n)
const token = (n: number) => parseWallet(`0x${(n + 16).toString(16).padStart(40, '0')}`) as Wallet
const transferred = word(7)
const crowded = 2
const logsPerTransaction = 25

function rawLog(at: number, tokenNumber: number, receiver: number) {
  return {
    address: token(tokenNumber),
    topics: [transferred, word(1), word(receiver)],
    data: word(at),
    blockNumber: `0x${crowded}`,
    blockHash: blockHash(crowded),
    transactionHash: word(100 + Math.floor(at / logsPerTransaction)),
    logIndex: `0x${at.toString(16)}`,
    removed: false,
  }
}

type Provider = {
  readonly mostLogs?: number
  readonly hasBlockReceipts?: boolean
  /** Answers with more logs than this exceed the byte limit. */
  readonly mostBytesOfLogs?: number
  /** Queries that match more logs than this time out. */
  readonly slowAbove?: number
  readonly isSilent?: boolean
  readonly change?: (call: Call, result: unknown) => unknown
}

function crowdedChain(logs: readonly RawLog[], providers: readonly Provider[] = [{}]) {
  const sent: Call[] = []
  const asked: number[] = []
  const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))]
  const receiptOf = (hash: unknown) => ({
    ...{ transactionHash: hash, blockNumber: `0x${crowded}`, blockHash: blockHash(crowded), status: '0x1' },
    ...{ gasUsed: '0x1', logs: logs.filter(({ transactionHash }) => transactionHash === hash) },
  })
  const response = ({ method, params }: Call, provider: Provider): unknown => {
    const { mostLogs = 10, hasBlockReceipts = true } = provider
    if (method === 'eth_chainId') return { result: '0x7a69' }
    if (method === 'eth_getBlockByNumber') return { result: block(Number(params[0]), hashes) }
    if (method === 'eth_getTransactionReceipt') return { result: receiptOf(params[0]) }
    if (method === 'eth_getBlockReceipts')
      return hasBlockReceipts ? { result: hashes.map(receiptOf) } : { error: { code: -32601, message: 'no' } }
    const found = logs.filter((log) => fits(log, params[0] as RawFilter))
    if (found.length <= mostLogs) return { result: found }
    return { error: { code: -32005, message: 'query returned more than 10000 results' } }
  }
  const outbound: Outbound = {
    async request({ url, body }) {
      const calls = JSON.parse(body ?? '[]') as Call[]
      sent.push(...calls)
      const place = Number.parseInt(new URL(url).hostname.slice(1), 10)
      const provider = providers[place] ?? {}
      asked.push(place)
      if (provider.isSilent) return { kind: 'error', error: 'timeout', detail: '' }
      const { change = (_, result) => result, mostBytesOfLogs = Number.POSITIVE_INFINITY } = provider
      const responses = calls.map((call) => ({
        ...{ jsonrpc: '2.0', id: call.id },
        ...(change(call, response(call, provider)) as object),
      }))
      const text = JSON.stringify(responses)
      const asksLogs = calls.some(({ method }) => method === 'eth_getLogs')
      if (asksLogs && text.split('"logIndex"').length - 1 > (provider.slowAbove ?? text.length))
        return { kind: 'error', error: 'timeout', detail: '' }
      if (text.split('"logIndex"').length - 1 > mostBytesOfLogs)
        return { kind: 'error', error: 'too-large', detail: '' }
      return { kind: 'response', status: 200, headers: {}, body: Buffer.from(text) }
    },
  }
  const urls = providers.map((_, i) => `http://e${i}.example`)
  const network = describeNetwork(31337, { factory: nativeAddress, tokens: {} })
  const needs = { outbound, clock: new TestClock(), log: makeLog('silent') }
  const chain = connectChain(needs, network, urls)
  return { chain, sent, asked, count: (name: string) => sent.filter(({ method }) => method === name).length }
}

function block(n: number, hashes: readonly Hex[]) {
  const transaction = { from: nativeAddress, to: nativeAddress, value: '0x0', input: '0x' }
  return {
    ...{ number: `0x${n.toString(16)}`, hash: blockHash(n), parentHash: blockHash(n - 1), timestamp: '0x1' },
    transactions: n === crowded ? hashes.map((hash) => ({ hash, ...transaction })) : [],
  }
}

function fits(log: RawLog, { fromBlock, toBlock, address, topics }: RawFilter): boolean {
  return (
    Number(fromBlock) <= crowded &&
    crowded <= Number(toBlock) &&
    (!address || address.includes(log.address)) &&
    topics.every((wanted, i) => wanted === null || [wanted].flat().includes(log.topics[i] ?? ''))
  )
}

const receivers = Array.from({ length: 40 }, (_, i) => word(i))
const tokens = [0, 1, 2, 3].map(token)
const read = (chain: Chain, from = 1n, to = 4n) =>
  chain.readLogs({ from, to, addresses: tokens, topics: [transferred, null, receivers] })
const indexes = (logs: readonly { logIndex: number }[]) => logs.map(({ logIndex }) => logIndex)
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i)

describe('of a block with more logs than an endpoint gives', () => {
  test('those of many addresses are read in the order of the chain', async () => {
    const logs = upTo(100).map((at) => rawLog(at, at % 4, at % 40))
    expect(indexes(await read(crowdedChain(logs).chain))).toEqual(upTo(100))
  })

  test('thousands for one address are read from the receipts of the block, and no others', async () => {
    const logs = upTo(3_000).map((at) => rawLog(at, at === 5 ? 9 : 0, at === 7 ? 41 : 3))
    const { chain, count } = crowdedChain(logs)
    expect(indexes(await read(chain))).toEqual(upTo(3_000).filter((at) => at !== 5 && at !== 7))
    expect(count('eth_getBlockReceipts')).toBe(1)
    expect(count('eth_getLogs')).toBeLessThan(20)
  })

  test.each([
    ['has no receipts by block', { hasBlockReceipts: false }],
    ['gives no answer so large', { mostBytesOfLogs: 60 }],
  ])('they are read where the endpoint %s', async (_, provider) => {
    const logs = upTo(3_000).map((at) => rawLog(at, 0, 3))
    expect(indexes(await read(crowdedChain(logs, [provider]).chain))).toEqual(upTo(3_000))
  })

  test('a batch of filters and blocks is read too', async () => {
    const logs = upTo(300).map((at) => rawLog(at, 0, 3))
    const { chain } = crowdedChain(logs)
    const filters = [{ from: 2n, to: 2n, addresses: tokens, topics: [transferred, null, receivers] }]
    expect((await chain.readLogsOfAll(filters)).length).toBe(300)
    const range = await chain.readRange({ from: 1n, to: 2n, withTransactions: false, filters })
    expect(range.logs.length).toBe(300)
  })

  test('endpoints of which one gives all at once agree with one that does not', async () => {
    const logs = upTo(300).map((at) => rawLog(at, 0, 3))
    const { chain } = crowdedChain(logs, [{ mostLogs: 1_000 }, { mostLogs: 10 }])
    expect(indexes(await read(chain))).toEqual(upTo(300))
  })

  test('endpoints whose receipts differ are not believed', async () => {
    const logs = upTo(300).map((at) => rawLog(at, 0, 3))
    const withoutFirst = ({ method }: Call, response: unknown) => {
      if (method !== 'eth_getBlockReceipts') return response
      const [first, ...others] = (response as { result: { logs: RawLog[] }[] }).result
      return { result: [{ ...first, logs: first?.logs.slice(1) }, ...others] }
    }
    const { chain } = crowdedChain(logs, [{}, { change: withoutFirst }])
    await expect(read(chain)).rejects.toThrow(ChainUnavailable)
  })

  test.each([
    ['of another block', (receipt: object) => ({ ...receipt, blockHash: word(5) })],
    ['of another transaction', (receipt: object) => ({ ...receipt, transactionHash: word(5) })],
    [
      'whose logs stand in another block',
      (receipt: { logs?: RawLog[] }) => ({
        ...receipt,
        logs: receipt.logs?.map((log) => ({ ...log, blockHash: word(5) })),
      }),
    ],
  ])('receipts %s are not taken', async (_, spoil) => {
    const logs = upTo(300).map((at) => rawLog(at, 0, 3))
    const change = ({ method }: Call, response: unknown) => {
      if (method !== 'eth_getBlockReceipts') return response
      const [first, ...others] = (response as { result: { logs: RawLog[] }[] }).result
      return { result: [first && spoil(first), ...others] }
    }
    await expect(read(crowdedChain(logs, [{ change }]).chain)).rejects.toThrow(ChainUnavailable)
  })

  test('an endpoint that does not answer in time is asked for the receipts, and not for every part', async () => {
    const logs = upTo(300).map((at) => rawLog(at, 0, 3))
    const { chain, count } = crowdedChain(logs, [{ mostLogs: 1_000, slowAbove: 10 }])
    expect(indexes(await read(chain, 2n, 2n))).toEqual(upTo(300))
    expect(count('eth_getLogs')).toBe(1)
  })

  describe.each([1, 2, 3])('where %i endpoints are all slow with it', (count) => {
    const logs = upTo(300).map((at) => rawLog(at, 0, 3))
    const slow = { mostLogs: 1_000, slowAbove: 10 }
    const providers = Array.from({ length: count }, () => slow)

    test.each([
      [2n, 2n],
      [1n, 4n],
    ])('it is read in blocks %i to %i, and so is what comes after it', async (from, to) => {
      const { chain } = crowdedChain(logs, providers)
      expect(indexes(await read(chain, from, to))).toEqual(upTo(300))
      expect((await chain.findHeader(1n))?.hash).toBe(blockHash(1))
    })

    test('it is read with its blocks', async () => {
      const { chain } = crowdedChain(logs, providers)
      const filters = [{ from: 2n, to: 2n, addresses: tokens, topics: [transferred, null, receivers] }]
      const range = await chain.readRange({ from: 1n, to: 2n, withTransactions: false, filters })
      expect(indexes(range.logs)).toEqual(upTo(300))
    })
  })

  test('an endpoint that says nothing at all is asked for no less, and by nobody else for a while', async () => {
    const logs = upTo(300).map((at) => rawLog(at, 0, 3))
    const { chain, asked } = crowdedChain(logs, [{}, {}, { isSilent: true }])
    const asksOfSilent = () => asked.filter((place) => place === 2).length
    expect(indexes(await read(chain))).toEqual(upTo(300))
    expect(asksOfSilent()).toBe(2)
    expect(indexes(await read(chain))).toEqual(upTo(300))
    expect(asksOfSilent()).toBe(2)
  })

  test('an endpoint that refuses everything is asked a few times and no more', async () => {
    const refuse = ({ method }: Call, response: unknown) =>
      method === 'eth_chainId' ? response : { error: { code: -32005, message: 'rate limit' } }
    const { chain, sent } = crowdedChain([rawLog(0, 0, 3)], [{ change: refuse }])
    await expect(read(chain)).rejects.toThrow(ChainUnavailable)
    expect(sent.length).toBeLessThan(20)
  })
})
