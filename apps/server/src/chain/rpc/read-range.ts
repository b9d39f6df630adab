import type { Block, BlockHeader, ChainLog, Hex, LogFilter } from '../chain.ts'
import type { Endpoint } from './endpoint.ts'
import { readBlockOrNull, readHeaderOrNull, readLogList, readValue } from './read-answer.ts'
import { EndpointUnavailable, type RpcCall } from './rpc.ts'

/** Headers of `from`…`to` from one endpoint, each the parent of the next. */
export async function readHeaders(endpoint: Endpoint, from: bigint, to: bigint): Promise<BlockHeader[]> {
  const answers = await endpoint.ask(heights(from, to).map((height) => blockCall(height, false)))
  return checkContinuous(
    answers.map((answer) => readValue(answer, readHeaderOrNull)),
    from,
  )
}

/** The headers at some heights, as one endpoint sees them. */
export async function findHeaders(
  endpoint: Endpoint,
  numbers: readonly bigint[],
): Promise<(BlockHeader | undefined)[]> {
  const answers = await endpoint.ask(numbers.map((height) => blockCall(height, false)))
  return answers.map((answer) => readValue(answer, readHeaderOrNull))
}

/** Blocks of `from`…`to` with their transactions. A range too large for one answer is halved. */
export async function readBlocks(endpoint: Endpoint, from: bigint, to: bigint): Promise<Block[]> {
  try {
    const answers = await endpoint.ask(heights(from, to).map((height) => blockCall(height, true)))
    return checkContinuous(
      answers.map((answer) => readValue(answer, readBlockOrNull)),
      from,
    )
  } catch (error) {
    const middle = middleOf(error, from, to)
    if (middle === undefined) throw error
    const lower = await readBlocks(endpoint, from, middle)
    const upper = await readBlocks(endpoint, middle + 1n, to)
    return checkContinuous([...lower, ...upper], from)
  }
}

/**
 * Logs of a range from one endpoint, in the order of the chain. Whatever the endpoint finds too much,
 * cannot answer in time or answers brokenly is halved and asked again, down to a single block.
 */
export async function readLogs(endpoint: Endpoint, filter: LogFilter): Promise<ChainLog[]> {
  try {
    const [answer] = await endpoint.ask([logsCall(filter)])
    if (answer?.kind === 'error')
      throw new EndpointUnavailable('too-large', `${answer.code} ${answer.message}`)
    return checkLogs(readValue(answer, readLogList), filter)
  } catch (error) {
    const middle = middleOf(error, filter.from, filter.to)
    if (middle === undefined) throw error
    const lower = await readLogs(endpoint, { ...filter, to: middle })
    return [...lower, ...(await readLogs(endpoint, { ...filter, from: middle + 1n }))]
  }
}

/**
 * Logs of several filters from one endpoint, asked for in one batch. What the endpoint refuses in it is asked for
 * by itself.
 */
export async function readLogsOfAll(endpoint: Endpoint, filters: readonly LogFilter[]): Promise<ChainLog[]> {
  if (filters.length === 0) return []
  const answers = await endpoint.ask(filters.map(logsCall)).catch((error: unknown) => {
    if (isCuredByLess(error)) return undefined
    throw error
  })
  const logs: ChainLog[] = []
  for (const [i, filter] of filters.entries()) {
    const answer = answers?.[i]
    if (answer?.kind === 'value') logs.push(...checkLogs(readLogList(answer.value), filter))
    else logs.push(...(await readLogs(endpoint, filter)))
  }
  return logs
}

/** The call that gives a block, by height or tag. */
export function blockCall(height: bigint | string, withTransactions: boolean): RpcCall {
  const block = typeof height === 'bigint' ? toQuantity(height) : height
  return { method: 'eth_getBlockByNumber', params: [block, withTransactions] }
}

/** A number as JSON-RPC takes it. */
export function toQuantity(value: bigint): Hex {
  return `0x${value.toString(16)}`
}

function logsCall(filter: LogFilter): RpcCall {
  const { from, to, addresses, topics } = filter
  const range = { fromBlock: toQuantity(from), toBlock: toQuantity(to), topics }
  return { method: 'eth_getLogs', params: [addresses ? { ...range, address: addresses } : range] }
}

function heights(from: bigint, to: bigint): bigint[] {
  return Array.from({ length: Number(to - from) + 1 }, (_, i) => from + BigInt(i))
}

/** Where to cut a range that failed, or `undefined` where asking for less cannot help. */
function middleOf(error: unknown, from: bigint, to: bigint): bigint | undefined {
  return from < to && isCuredByLess(error) ? (from + to) / 2n : undefined
}

function isCuredByLess(error: unknown): boolean {
  return error instanceof EndpointUnavailable && ['too-large', 'slow', 'malformed'].includes(error.fault)
}

/** An endpoint behind a balancer may answer from two views of the chain, or from one that is behind. */
function checkContinuous<T extends BlockHeader>(blocks: readonly (T | undefined)[], from: bigint): T[] {
  return blocks.map((block, i) => {
    if (!block || block.number !== from + BigInt(i))
      throw new EndpointUnavailable('unreachable', `block ${from + BigInt(i)} is missing`)
    if (i > 0 && block.parentHash !== blocks[i - 1]?.hash)
      throw new EndpointUnavailable('unreachable', `block ${block.number} does not follow the previous one`)
    return block
  })
}

function checkLogs(logs: ChainLog[], filter: LogFilter): ChainLog[] {
  const addresses = filter.addresses && new Set(filter.addresses)
  const topics = filter.topics.map((wanted) => (wanted === null ? null : new Set([wanted].flat())))
  let before: ChainLog | undefined
  for (const log of logs) {
    const isAsked =
      log.blockNumber >= filter.from &&
      log.blockNumber <= filter.to &&
      (!addresses || addresses.has(log.address)) &&
      topics.every((wanted, i) => isTopic(wanted, log.topics[i]))
    if (!isAsked) throw new EndpointUnavailable('malformed', 'a log that was not requested')
    if (before && !isBefore(before, log)) throw new EndpointUnavailable('malformed', 'logs out of order')
    before = log
  }
  return logs
}

function isTopic(wanted: ReadonlySet<Hex> | null, topic: Hex | undefined): boolean {
  return wanted === null || (topic !== undefined && wanted.has(topic))
}

function isBefore(a: ChainLog, b: ChainLog): boolean {
  return a.blockNumber === b.blockNumber ? a.logIndex < b.logIndex : a.blockNumber < b.blockNumber
}
