import { loadavg } from 'node:os'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { afterEach, test } from 'vitest'
import type { Chain, Hex } from '../../src/chain/chain.ts'
import { describeNetwork } from '../../src/chain/networks.ts'
import { connectChain } from '../../src/chain/rpc/connect-chain.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Target } from '../../src/payments/attempts/targets.ts'
import { readTransfers } from '../../src/payments/indexer/read-transfers.ts'
import { jobNames } from '../../src/platform/jobs/names.ts'
import { makeLog } from '../../src/platform/log.ts'
import type { Outbound } from '../../src/platform/outbound/outbound.ts'
import { transferTopic } from '../../src/split/ledger/decode-events.ts'
import { always } from '../support/chain/chain-api.ts'
import { farChain, resetCounts } from '../support/chain/endpoints.ts'
import { type PaymentContext, startPayments } from '../support/chain/payments.ts'
import { countStatements } from '../support/database/count-statements.ts'

const blocks = 8
const logsPerBlock = 1_000
const depositCount = 400
const rounds = 3
const roundMs = 5_000
const markPerSecond = 100_000

let context: PaymentContext | undefined
afterEach(async () => {
  await context?.stop()
  context = undefined
})

/** Benchmark that `npm run bench:watcher` runs. */
test('logs that the watcher takes in are measured', { timeout: 600_000 }, async () => {
  const { chain, texts } = sampleChain()
  const read = async () => {
    const headers = await chain.readHeaders(1n, BigInt(blocks))
    const { transfers } = await readTransfers(chain, headers, { splits: [], targets })
    if (transfers.length !== blocks * logsPerBlock) throw new Error(`only ${transfers.length} logs were read`)
  }
  print(
    `${logsPerBlock} logs a block, headers checked, beside JSON.parse of the same answers; mark ${markPerSecond}/s`,
  )
  for (let i = 0; i <= rounds; i++) {
    const bare = await measure(async () => {
      for (const text of texts) JSON.parse(text)
    })
    const taken = await measure(read)
    if (i === 0) continue // warm-up
    print(
      `${taken.perSecond >= markPerSecond ? 'kept  ' : 'MISSED'} ${taken.perSecond.toFixed(0)} logs/s, ` +
        `${taken.micros.toFixed(2)} µs of a core each; JSON.parse alone ${bare.perSecond.toFixed(0)}/s, ` +
        `${bare.micros.toFixed(2)} µs; ratio ${(taken.perSecond / bare.perSecond).toFixed(2)}, ` +
        `of processor time ${(bare.micros / taken.micros).toFixed(2)}; load ${loadavg()[0]?.toFixed(1)}`,
    )
  }
})

test('rounds without news are measured', { timeout: 600_000 }, async () => {
  const far = farChain()
  context = await startPayments({ policy: always('seen'), outbound: far.over })
  await context.open('waiting', 20, 'USDC')
  await context.scan()
  const { db, total } = countStatements(context.needs.db)
  const job = context.job(jobNames.scanTransfers, { db })
  const round = async () => {
    const statements = total()
    resetCounts(far.counts)
    await job.run(new AbortController().signal)
    return { requests: far.counts.requests, statements: total() - statements }
  }
  await round()
  for (const [name, blockCount, mark] of [
    ['no block', 0, 1],
    ['a block', 1, 2],
  ] as const) {
    if (blockCount > 0) await context.mine(blockCount)
    const { requests, statements } = await round()
    const kept = requests <= mark ? 'kept  ' : 'MISSED'
    print(
      `${kept} a round with ${name} and no news: ${requests} requests (mark ${mark}), ${statements} statements`,
    )
  }
})

/** Returns the logs per second, and the CPU microseconds per log. */
async function measure(work: () => Promise<void>): Promise<{ perSecond: number; micros: number }> {
  const [began, used] = [performance.now(), process.cpuUsage()]
  let count = 0
  while (performance.now() - began < roundMs) {
    await work()
    count += blocks * logsPerBlock
  }
  const { user, system } = process.cpuUsage(used)
  return { perSecond: (count * 1_000) / (performance.now() - began), micros: (user + system) / count }
}

const token = `0x${'70'.repeat(20)}` as Wallet
const hash = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`
const depositOf = (n: number) =>
  `0x${(0xde0000 + (n % depositCount)).toString(16).padStart(40, '0')}` as Wallet

const targets = Array.from({ length: depositCount }, (_, n) => {
  const depositAddress = depositOf(n)
  return {
    depositAddress,
    tokenAddress: token,
    attemptId: `a-${n}`,
    receiptId: `r-${n}`,
  } as unknown as Target
})

/** Returns a chain whose endpoint responds from memory, so that only the processing is measured. */
function sampleChain(): { chain: Chain; texts: readonly string[] } {
  const headerTexts = Array.from({ length: blocks }, (_, i) => JSON.stringify(headerOf(i + 1)))
  const logsText = JSON.stringify(Array.from({ length: blocks * logsPerBlock }, (_, i) => logOf(i)))
  const respondTo = ({ method, params }: { method: string; params: unknown[] }): string => {
    if (method === 'eth_chainId') return '"0x7a69"'
    if (method === 'eth_getLogs') return isOfTransfers(params[0]) ? logsText : '[]'
    if (method === 'eth_getBlockByNumber') return headerTexts[Number(params[0]) - 1] ?? 'null'
    return 'null'
  }
  const outbound: Outbound = {
    async request({ body = '[]' }) {
      const calls = JSON.parse(body)
      const responses = calls.map(
        (call: { id: number; method: string; params: unknown[] }) =>
          `{"jsonrpc":"2.0","id":${call.id},"result":${respondTo(call)}}`,
      )
      return { kind: 'response', status: 200, headers: {}, body: Buffer.from(`[${responses.join()}]`) }
    },
  }
  const network = describeNetwork(31337, { factory: nativeAddress, tokens: { USDC: token } })
  const needs = { outbound, clock: systemClock, log: makeLog('silent') }
  return { chain: connectChain(needs, network, ['http://one.example']), texts: [...headerTexts, logsText] }
}

function isOfTransfers(filter: unknown): boolean {
  return (filter as { topics: unknown[] }).topics[0] === transferTopic
}

function headerOf(n: number) {
  return { number: `0x${n.toString(16)}`, hash: hash(n + 1), parentHash: hash(n), timestamp: '0x65000000' }
}

function logOf(i: number) {
  const block = 1 + Math.floor(i / logsPerBlock)
  const topic = (address: string) => `0x${address.slice(2).padStart(64, '0')}`
  return {
    address: token,
    topics: [transferTopic, topic(`0xab${i.toString(16)}`), topic(depositOf(i))],
    data: hash(1_000_000 + i),
    blockNumber: `0x${block.toString(16)}`,
    blockHash: hash(block + 1),
    transactionHash: hash(0xfeed0000 + i),
    transactionIndex: '0x1',
    logIndex: `0x${(i % logsPerBlock).toString(16)}`,
    removed: false,
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
