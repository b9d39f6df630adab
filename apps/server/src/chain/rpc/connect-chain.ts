import type { Clock } from '../../kernel/clock.ts'
import { isOnThisMachine } from '../../kernel/local-address.ts'
import type { Log } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { StateLog } from '../../platform/state-log.ts'
import type { Block, BlockHeader, Chain, ChainLog, Hex, TransactionReceipt } from '../chain.ts'
import { ChainTime } from '../chain-time.ts'
import type { Network } from '../networks.ts'
import { alikeBy, type Endpoints, findHeader, readAgreed, readAgreedHead, readAny } from './agree.ts'
import { type Endpoint, openEndpoint } from './endpoint.ts'
import { readReceiptOrNull, readValue } from './read-answer.ts'
import { findHeaders, readBlocks, readHeaders, readLogs, readLogsOfAll, readRange } from './read-range.ts'
import { readReceipts } from './read-receipts.ts'
import { sending } from './sending.ts'
import { stateReads } from './state-reads.ts'

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
  return {
    ...network,
    time,
    isCorroborated: areIndependent(rpcUrls),
    ...blockReads(endpoints, time),
    ...receiptReads(endpoints),
    ...stateReads(endpoints),
    ...sending(endpoints),
  }
}

type BlockReads =
  | 'readHead'
  | 'findHeader'
  | 'findHeaders'
  | 'readHeaders'
  | 'readBlocks'
  | 'readLogs'
  | 'readLogsOfAll'
  | 'readRange'

/** What stands in blocks. */
function blockReads(endpoints: Endpoints, time: ChainTime): Pick<Chain, BlockReads> {
  return {
    async readHead() {
      const head = await readAgreedHead(endpoints)
      time.note(head.latest)
      return head
    },
    findHeader: (number) =>
      readAgreed(endpoints, {
        from: (endpoint) => findHeader(endpoint, number),
        isAlike: (one, other) => one?.hash === other?.hash,
        upTo: number,
      }),
    findHeaders: async (numbers) =>
      numbers.length === 0
        ? []
        : readAgreed(endpoints, {
            from: (endpoint) => findHeaders(endpoint, numbers),
            isAlike: alikeBy((headers) => headers.map((header) => header?.hash ?? 'none').join()),
            upTo: numbers.reduce((top, number) => (number > top ? number : top), 0n),
          }),
    readHeaders: (from, to) =>
      readAgreed(endpoints, {
        from: (endpoint) => readHeaders(endpoint, from, to),
        isAlike: alikeBy(fingerprintHeaders),
        upTo: to,
      }),
    readBlocks: (from, to) =>
      readAgreed(endpoints, {
        from: (endpoint) => readBlocks(endpoint, from, to),
        isAlike: alikeBy(fingerprintBlocks),
        upTo: to,
      }),
    readLogs: (filter) =>
      readAgreed(endpoints, {
        from: (endpoint) => readLogs(endpoint, filter),
        isAlike: areLogsAlike,
        upTo: filter.to,
      }),
    readLogsOfAll: async (filters) =>
      filters.length === 0
        ? []
        : readAgreed(endpoints, {
            from: (endpoint) => readLogsOfAll(endpoint, filters),
            isAlike: areLogsAlike,
            upTo: filters.reduce((top, { to }) => (to > top ? to : top), 0n),
          }),
    readRange: (range) =>
      readAgreed(endpoints, {
        from: (endpoint) => readRange(endpoint, range),
        isAlike: (one, other) =>
          fingerprintBlocks(one.blocks) === fingerprintBlocks(other.blocks) &&
          areLogsAlike(one.logs, other.logs),
        upTo: range.to,
      }),
  }
}

/** What became of transactions. */
function receiptReads(endpoints: Endpoints): Pick<Chain, 'readReceipts' | 'findReceipt' | 'findReceipts'> {
  async function findReceipts(hashes: readonly Hex[], within?: bigint) {
    const from = async (endpoint: Endpoint): Promise<(TransactionReceipt | undefined)[]> => {
      const asked = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
      return (await endpoint.ask(asked)).map((answer) => readValue(answer, readReceiptOrNull))
    }
    if (within === undefined)
      return readAny(endpoints, from, (receipts) => receipts.every((each) => each !== undefined))
    return readAgreed(endpoints, { from, isAlike: areReceiptsAlike, upTo: within })
  }
  return {
    readReceipts: (number) =>
      readAgreed(endpoints, {
        from: (endpoint) => readReceipts(endpoint, number),
        isAlike: (one, other) =>
          one.block.hash === other.block.hash &&
          one.receipts.length === other.receipts.length &&
          one.receipts.every((receipt, i) => isReceiptAlike(receipt, other.receipts[i])),
        upTo: number,
      }),
    findReceipt: async (hash, within) => (await findReceipts([hash], within))[0],
    findReceipts,
  }
}

function fingerprintHeaders(headers: BlockHeader[]): string {
  return headers.map((header) => header.hash).join()
}

function fingerprintBlocks(blocks: readonly (BlockHeader | Block)[]): string {
  return blocks
    .map((block) => {
      const transactions = 'transactions' in block ? block.transactions : []
      return [
        block.hash,
        ...transactions.map((each) => [each.hash, each.from, each.to, each.value].join('/')),
      ].join()
    })
    .join('\n')
}

/** With what they logged: that is where their money is. */
function areReceiptsAlike(
  some: readonly (TransactionReceipt | undefined)[],
  others: readonly (TransactionReceipt | undefined)[],
): boolean {
  return some.every((one, i) => {
    const other = others[i]
    return one ? one.blockHash === other?.blockHash && isReceiptAlike(one, other) : other === undefined
  })
}

function isReceiptAlike(one: TransactionReceipt, other: TransactionReceipt | undefined): boolean {
  return other !== undefined && one.isSuccess === other.isSuccess && areLogsAlike(one.logs, other.logs)
}

/** Compared member by member: texts of thousands of logs would cost more than reading them. */
function areLogsAlike(some: readonly ChainLog[], others: readonly ChainLog[]): boolean {
  return some.length === others.length && some.every((log, i) => isLogAlike(log, others[i]))
}

function isLogAlike(one: ChainLog, other: ChainLog | undefined): boolean {
  return (
    other !== undefined &&
    one.blockHash === other.blockHash &&
    one.logIndex === other.logIndex &&
    one.transactionHash === other.transactionHash &&
    one.address === other.address &&
    one.topics.length === other.topics.length &&
    one.topics.every((topic, i) => topic === other.topics[i]) &&
    one.data === other.data
  )
}

/** Two addresses of one host are one provider's word. */
function areIndependent(rpcUrls: readonly string[]): boolean {
  const strangers = rpcUrls.filter((url) => !isOnThisMachine(url)).map((url) => new URL(url).hostname)
  if (rpcUrls.length === 1) return strangers.length === 0
  return new Set(strangers).size === strangers.length
}
