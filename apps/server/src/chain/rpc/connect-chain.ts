import type { Clock } from '../../kernel/clock.ts'
import { isOnThisMachine } from '../../kernel/local-address.ts'
import type { Log } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { StateLog } from '../../platform/state-log.ts'
import type { Block, BlockHeader, Chain, Hex, TransactionReceipt } from '../chain.ts'
import { ChainTime } from '../chain-time.ts'
import type { Network } from '../networks.ts'
import { type Endpoints, findHeader, readAgreed, readAgreedHead, readAny } from './agree.ts'
import { type Endpoint, openEndpoint } from './endpoint.ts'
import { findHeaders, readBlocks, readHeaders, readLogs, readLogsOfAll, readRange } from './read-range.ts'
import { readReceipts } from './read-receipts.ts'
import { readReceiptOrNull, readValue } from './read-response.ts'
import { sending } from './sending.ts'
import { stateReads } from './state-reads.ts'

/**
 * Connects to the chain behind `rpcUrls`. No endpoint needs to be up yet.
 *
 * Reads that credit money go to every endpoint; if there are several, two must agree. Other reads take the
 * first answer.
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
        by: (header) => header?.hash,
        upTo: number,
      }),
    findHeaders: async (numbers) =>
      numbers.length === 0
        ? []
        : readAgreed(endpoints, {
            from: (endpoint) => findHeaders(endpoint, numbers),
            by: (headers) => headers.map((header) => header?.hash),
            upTo: highest(numbers),
          }),
    readHeaders: (from, to) =>
      readAgreed(endpoints, {
        from: (endpoint) => readHeaders(endpoint, from, to),
        by: (headers) => headers.map(({ hash }) => hash),
        upTo: to,
      }),
    readBlocks: (from, to) =>
      readAgreed(endpoints, {
        from: (endpoint) => readBlocks(endpoint, from, to),
        by: (blocks) => blocks.map(factsOfBlock),
        upTo: to,
      }),
    readLogs: (filter) =>
      readAgreed(endpoints, {
        from: (endpoint) => readLogs(endpoint, filter),
        upTo: filter.to,
      }),
    readLogsOfAll: async (filters) =>
      filters.length === 0
        ? []
        : readAgreed(endpoints, {
            from: (endpoint) => readLogsOfAll(endpoint, filters),
            upTo: highest(filters.map(({ to }) => to)),
          }),
    readRange: (range) =>
      readAgreed(endpoints, {
        from: (endpoint) => readRange(endpoint, range),
        by: ({ blocks, logs }) => [blocks.map(factsOfBlock), logs],
        upTo: range.to,
      }),
  }
}

function receiptReads(endpoints: Endpoints): Pick<Chain, 'readReceipts' | 'findReceipt' | 'findReceipts'> {
  async function findReceipts(hashes: readonly Hex[], within?: bigint) {
    const from = async (endpoint: Endpoint): Promise<(TransactionReceipt | undefined)[]> => {
      const asked = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
      return (await endpoint.ask(asked)).map((response) => readValue(response, readReceiptOrNull))
    }
    if (within === undefined)
      return readAny(endpoints, from, (receipts) => receipts.every((each) => each !== undefined))
    return readAgreed(endpoints, { from, by: (found) => found.map(factsOfReceipt), upTo: within })
  }
  return {
    readReceipts: (number) =>
      readAgreed(endpoints, {
        from: (endpoint) => readReceipts(endpoint, number),
        by: ({ block, receipts }) => [block.hash, receipts.map(factsOfReceipt)],
        upTo: number,
      }),
    findReceipt: async (hash, within) => (await findReceipts([hash], within))[0],
    findReceipts,
  }
}

function factsOfBlock(block: BlockHeader | Block): unknown {
  const transactions = 'transactions' in block ? block.transactions : []
  return [block.hash, transactions.map(({ hash, from, to, value }) => [hash, from, to, value])]
}

/** Returns the parts on which endpoints must agree, including the logs, which determine the money. */
function factsOfReceipt(receipt: TransactionReceipt | undefined): unknown {
  return receipt && [receipt.blockHash, receipt.isSuccess, receipt.logs]
}

function highest(numbers: readonly bigint[]): bigint {
  return numbers.reduce((top, number) => (number > top ? number : top), 0n)
}

/**
 * Returns whether the endpoints are on different hosts, or the only one is local. Two URLs on one host are a
 * single source.
 */
function areIndependent(rpcUrls: readonly string[]): boolean {
  const strangers = rpcUrls.filter((url) => !isOnThisMachine(url)).map((url) => new URL(url).hostname)
  if (rpcUrls.length === 1) return strangers.length === 0
  return new Set(strangers).size === strangers.length
}
