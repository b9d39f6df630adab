import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import { isOnThisMachine } from '../../kernel/local-address.ts'
import type { Log } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { StateLog } from '../../platform/state-log.ts'
import type { Block, BlockHeader, CallOutcome, Chain, ChainLog, Hex, TransactionReceipt } from '../chain.ts'
import { ChainTime } from '../chain-time.ts'
import type { Network } from '../networks.ts'
import { type Endpoints, findHeader, readAgreed, readAgreedHead, readAny } from './agree.ts'
import { type Endpoint, openEndpoint } from './endpoint.ts'
import { readBytes, readQuantity, readReceiptOrNull, readValue } from './read-answer.ts'
import { readBalances } from './read-balances.ts'
import { findHeaders, readBlocks, readHeaders, readLogs, readLogsOfAll, toQuantity } from './read-range.ts'
import { readReceipts } from './read-receipts.ts'
import { EndpointUnavailable, isRecord, type RpcAnswer } from './rpc.ts'

/** Higher than any block that is final: an answer that depends on the newest state. */
const newest = 2n ** 64n

/**
 * The chain behind `rpcUrls`.
 *
 * What money is credited upon (heads, headers, blocks, logs, balances, what became of a
 * payment) is asked of every endpoint
 * and must be said by two of them, where there are two; the rest is taken from the first that answers.
 * No endpoint need be up when this is called.
 */
export function connectChain(
  needs: { outbound: Outbound; clock: Clock; log: Log },
  network: Network,
  rpcUrls: readonly string[],
): Chain {
  const { log } = needs
  const hasSubstitute = rpcUrls.length > 1
  const endpoints: Endpoints = {
    states: new StateLog(log, needs.clock),
    all: rpcUrls.map((url) =>
      openEndpoint(
        { outbound: needs.outbound, clock: needs.clock, log },
        { url, chainId: network.id, hasSubstitute },
      ),
    ),
  }

  const time = new ChainTime(needs)

  async function findReceipts(hashes: readonly Hex[], within?: bigint) {
    const from = async (endpoint: Endpoint): Promise<(TransactionReceipt | undefined)[]> => {
      const asked = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
      return (await endpoint.ask(asked)).map((answer) => readValue(answer, readReceiptOrNull))
    }
    if (within === undefined)
      return readAny(endpoints, from, (receipts) => receipts.every((each) => each !== undefined))
    return readAgreed(endpoints, { from, likeness: likenessOfReceipts, upTo: within })
  }

  return {
    ...network,
    time,
    isCorroborated: areIndependent(rpcUrls),
    async readHead() {
      const head = await readAgreedHead(endpoints)
      time.note(head.latest)
      return head
    },
    findHeader: (number) =>
      readAgreed(endpoints, {
        from: (endpoint) => findHeader(endpoint, number),
        likeness: (header) => header?.hash ?? 'none',
        upTo: number,
      }),
    findHeaders: async (numbers) =>
      numbers.length === 0
        ? []
        : readAgreed(endpoints, {
            from: (endpoint) => findHeaders(endpoint, numbers),
            likeness: (headers) => headers.map((header) => header?.hash ?? 'none').join(),
            upTo: numbers.reduce((top, number) => (number > top ? number : top), 0n),
          }),
    readHeaders: (from, to) =>
      readAgreed(endpoints, {
        from: (endpoint) => readHeaders(endpoint, from, to),
        likeness: likenessOfHeaders,
        upTo: to,
      }),
    readBlocks: (from, to) =>
      readAgreed(endpoints, {
        from: (endpoint) => readBlocks(endpoint, from, to),
        likeness: likenessOfBlocks,
        upTo: to,
      }),
    readLogs: (filter) =>
      readAgreed(endpoints, {
        from: (endpoint) => readLogs(endpoint, filter),
        likeness: likenessOfLogs,
        upTo: filter.to,
      }),
    readLogsOfAll: async (filters) =>
      filters.length === 0
        ? []
        : readAgreed(endpoints, {
            from: (endpoint) => readLogsOfAll(endpoint, filters),
            likeness: likenessOfLogs,
            upTo: filters.reduce((top, { to }) => (to > top ? to : top), 0n),
          }),
    readBalances: (addresses, at) =>
      at === 'latest'
        ? readAny(endpoints, (endpoint) => readBalances(endpoint, addresses, at))
        : readAgreed(endpoints, {
            from: (endpoint) => readBalances(endpoint, addresses, toQuantity(at)),
            likeness: String,
            upTo: at,
          }),
    readHasCode: (addresses) => readAny(endpoints, (endpoint) => readHasCode(endpoint, addresses)),
    readCode: (address) =>
      readAny(endpoints, async (endpoint) =>
        readValue(await ask(endpoint, 'eth_getCode', [address, 'latest']), readBytes),
      ),
    call: (to, data, at = 'latest') =>
      readAny(endpoints, async (endpoint) =>
        readCall(await ask(endpoint, 'eth_call', [{ to, data }, tagOf(at)])),
      ),
    callMany: (calls, at = 'latest') =>
      at === 'latest'
        ? readAny(endpoints, (endpoint) => callMany(endpoint, calls, at))
        : readAgreed(endpoints, {
            from: (endpoint) => callMany(endpoint, calls, at),
            likeness: (outcomes) => outcomes.map(({ ok, data }) => `${ok} ${data}`).join(),
            upTo: at,
          }),
    readReceipts: (number) =>
      readAgreed(endpoints, {
        from: (endpoint) => readReceipts(endpoint, number),
        likeness: ({ block, receipts }) =>
          [
            block.hash,
            ...receipts.map(({ isSuccess, logs }) => `${isSuccess} ${likenessOfLogs([...logs])}`),
          ].join(),
        upTo: number,
      }),
    callCode: (data, funds) => {
      const request = funds ? { data, from: funds.from, value: toQuantity(funds.value) } : { data }
      return readAgreed(endpoints, {
        from: async (endpoint) => readCall(await ask(endpoint, 'eth_call', [request, 'latest'])),
        likeness: (outcome) => (outcome.ok ? outcome.data : 'reverted'),
        upTo: newest,
      })
    },
    findReceipt: async (hash, within) => (await findReceipts([hash], within))[0],
    findReceipts,
    readNonce: (account, tag) =>
      readAny(endpoints, async (endpoint) =>
        Number(readValue(await ask(endpoint, 'eth_getTransactionCount', [account, tag]), readQuantity)),
      ),
    readFees: () => readAny(endpoints, readFees),
    estimateGas: ({ value, ...call }) =>
      readAny(endpoints, async (endpoint) => {
        const request = value === undefined ? call : { ...call, value: toQuantity(value) }
        const answer = await ask(endpoint, 'eth_estimateGas', [request])
        const revert = readRevert(answer)
        return revert
          ? { ok: false as const, data: revert }
          : { ok: true as const, gas: readValue(answer, readQuantity) }
      }),
    sendRaw: (raw) => sendRaw(endpoints, raw),
  }
}

async function ask(
  endpoint: Endpoint,
  method: string,
  params: readonly unknown[],
): Promise<RpcAnswer | undefined> {
  const [answer] = await endpoint.ask([{ method, params }])
  return answer
}

async function callMany(
  endpoint: Endpoint,
  calls: readonly { readonly to: Wallet; readonly data: Hex }[],
  at: bigint | 'latest',
): Promise<CallOutcome[]> {
  const answers = await endpoint.ask(calls.map((call) => ({ method: 'eth_call', params: [call, tagOf(at)] })))
  return answers.map(readCall)
}

async function readHasCode(endpoint: Endpoint, addresses: readonly Wallet[]): Promise<boolean[]> {
  const answers = await endpoint.ask(
    addresses.map((address) => ({ method: 'eth_getCode', params: [address, 'latest'] })),
  )
  return answers.map((answer) => readValue(answer, readBytes) !== '0x')
}

async function readFees(endpoint: Endpoint) {
  const [block, tip] = await endpoint.ask([
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
  ])
  const baseFee = readValue(block, (value) => readQuantity(isRecord(value) ? value.baseFeePerGas : undefined))
  const maxPriorityFeePerGas = readValue(tip, readQuantity)
  // The base fee grows by an eighth a block at most: twice of it lasts six full blocks.
  return { maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas, maxPriorityFeePerGas }
}

function readCall(answer: RpcAnswer | undefined): CallOutcome {
  const revert = readRevert(answer)
  return revert ? { ok: false, data: revert } : { ok: true, data: readValue(answer, readBytes) }
}

/** What a call reverted with, or `undefined` where it did not, as nodes tell a revert: code 3 or its word. */
function readRevert(answer: RpcAnswer | undefined): Hex | undefined {
  if (answer?.kind !== 'error') return undefined
  if (answer.code !== 3 && !/revert/i.test(answer.message)) return undefined
  return typeof answer.data === 'string' && /^0x([0-9a-fA-F]{2})*$/.test(answer.data)
    ? (answer.data.toLowerCase() as Hex)
    : '0x'
}

/** Given to every endpoint: one that takes it is enough. */
async function sendRaw(endpoints: Endpoints, raw: Hex): Promise<void> {
  const results = await Promise.allSettled(
    endpoints.all.map((endpoint) => ask(endpoint, 'eth_sendRawTransaction', [raw])),
  )
  const answers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  if (answers.some((answer) => answer?.kind === 'value' || isKnownAlready(answer))) return
  const refusal = answers[0]
  throw new EndpointUnavailable(
    'unreachable',
    refusal?.kind === 'error' ? `rejected: ${refusal.message}` : 'no endpoint answers',
  )
}

function isKnownAlready(answer: RpcAnswer | undefined): boolean {
  return (
    answer?.kind === 'error' &&
    /already known|already imported|known transaction|nonce too low/i.test(answer.message)
  )
}

function tagOf(at: bigint | 'latest'): string {
  return at === 'latest' ? at : toQuantity(at)
}

function likenessOfHeaders(headers: BlockHeader[]): string {
  return headers.map((header) => header.hash).join()
}

function likenessOfBlocks(blocks: Block[]): string {
  return blocks
    .map(({ hash, transactions }) =>
      [hash, ...transactions.map((each) => [each.hash, each.from, each.to, each.value].join('/'))].join(),
    )
    .join('\n')
}

function likenessOfReceipts(receipts: (TransactionReceipt | undefined)[]): string {
  return receipts.map((receipt) => `${receipt?.blockHash} ${receipt?.isSuccess}`).join()
}

function likenessOfLogs(logs: ChainLog[]): string {
  return logs
    .map((log) =>
      [log.blockHash, log.logIndex, log.transactionHash, log.address, log.topics.join(), log.data].join('/'),
    )
    .join('\n')
}

/** Two addresses of one host are one provider's word. */
function areIndependent(rpcUrls: readonly string[]): boolean {
  const strangers = rpcUrls.filter((url) => !isOnThisMachine(url)).map((url) => new URL(url).hostname)
  if (rpcUrls.length === 1) return strangers.length === 0
  return new Set(strangers).size === strangers.length
}
