import type { Block, BlockHeader, ChainLog, LogFilter, RangeQuestion, RangeResponse } from '../chain.ts'
import type { Endpoint } from './endpoint.ts'
import { walkReceipts } from './read-receipts.ts'
import { readBlockOrNull, readHeaderOrNull, readLogList, readValue } from './read-response.ts'
import { blockCall, EndpointUnavailable, isCuredByLess, logsCall, type RpcResponse } from './rpc.ts'

export async function readHeaders(endpoint: Endpoint, from: bigint, to: bigint): Promise<BlockHeader[]> {
  const responses = await endpoint.ask(heights(from, to).map((height) => blockCall(height, false)))
  return checkContinuous(
    responses.map((response) => readValue(response, readHeaderOrNull)),
    from,
  )
}

export async function findHeaders(
  endpoint: Endpoint,
  numbers: readonly bigint[],
): Promise<(BlockHeader | undefined)[]> {
  const responses = await endpoint.ask(numbers.map((height) => blockCall(height, false)))
  return responses.map((response) => readValue(response, readHeaderOrNull))
}

/** Reads blocks with their transactions. Halves a range that is too large for one answer. */
export async function readBlocks(endpoint: Endpoint, from: bigint, to: bigint): Promise<Block[]> {
  try {
    const responses = await endpoint.ask(heights(from, to).map((height) => blockCall(height, true)))
    return checkContinuous(
      responses.map((response) => readValue(response, readBlockOrNull)),
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
 * Reads the logs of a range from one endpoint, in chain order.
 *
 * Halves a range that is too large, too slow or malformed, down to a single block. Anyone can fill a block
 * beyond a provider's limits. Its logs are then read from receipts, so that later blocks are not held up.
 */
export async function readLogs(endpoint: Endpoint, filter: LogFilter): Promise<ChainLog[]> {
  try {
    return await askLogs(endpoint, filter)
  } catch (error) {
    if (!isCuredByLess(error)) throw error
    if (filter.from >= filter.to) return readFromReceipts(endpoint, filter)
    const middle = (filter.from + filter.to) / 2n
    const lower = await readLogs(endpoint, { ...filter, to: middle })
    return [...lower, ...(await readLogs(endpoint, { ...filter, from: middle + 1n }))]
  }
}

async function askLogs(endpoint: Endpoint, filter: LogFilter): Promise<ChainLog[]> {
  const [response] = await endpoint.ask([logsCall(filter)])
  if (response?.kind === 'error')
    throw new EndpointUnavailable('too-large', `${response.code} ${response.message}`)
  return checkLogs(readValue(response, readLogList), filter)
}

/** Keeps only the matching logs of each portion, to bound memory. */
async function readFromReceipts(endpoint: Endpoint, filter: LogFilter): Promise<ChainLog[]> {
  const found: ChainLog[] = []
  const isAsked = validateLog(filter)
  await walkReceipts(endpoint, filter.from, (receipts) => {
    for (const { logs } of receipts) for (const log of logs) if (isAsked(log)) found.push(log)
  })
  return checkLogs(found, filter)
}

/**
 * Returns the logs if all match the filter and are in chain order without duplicates.
 *
 * @throws {EndpointUnavailable}
 */
export function checkLogs(logs: ChainLog[], filter: LogFilter): ChainLog[] {
  const isAsked = validateLog(filter)
  let before: ChainLog | undefined
  for (const log of logs) {
    if (!isAsked(log)) throw new EndpointUnavailable('malformed', 'a log that was not requested')
    const isInOrder =
      before === undefined ||
      before.blockNumber < log.blockNumber ||
      (before.blockNumber === log.blockNumber && before.logIndex < log.logIndex)
    if (!isInOrder) throw new EndpointUnavailable('malformed', 'logs out of order')
    before = log
  }
  return logs
}

function validateLog({ from, to, ...pattern }: LogFilter): (log: ChainLog) => boolean {
  const addresses = pattern.addresses && new Set<string>(pattern.addresses)
  const topics = pattern.topics.map((wanted) => wanted && new Set<string>([wanted].flat()))
  return ({ blockNumber, address, topics: given }) =>
    blockNumber >= from &&
    blockNumber <= to &&
    (!addresses || addresses.has(address)) &&
    topics.every((wanted, i) => !wanted || wanted.has(given[i] ?? ''))
}

/** Reads the logs of several filters in one batch. Repeats refused filters one by one. */
export async function readLogsOfAll(endpoint: Endpoint, filters: readonly LogFilter[]): Promise<ChainLog[]> {
  if (filters.length === 0) return []
  const responses = await endpoint.ask(filters.map(logsCall)).catch((error: unknown) => {
    if (isCuredByLess(error)) return undefined
    throw error
  })
  return takeLogs(endpoint, filters, responses)
}

/** Reads blocks and logs in one batch. Repeats refused parts one by one. */
export async function readRange(endpoint: Endpoint, range: RangeQuestion): Promise<RangeResponse> {
  const { from, to, withTransactions, filters } = range
  const blockCalls = heights(from, to).map((height) => blockCall(height, withTransactions))
  const responses = await endpoint.ask([...blockCalls, ...filters.map(logsCall)]).catch((error: unknown) => {
    if (isCuredByLess(error)) return undefined
    throw error
  })
  if (!responses) {
    const readEach = withTransactions ? readBlocks : readHeaders
    const blocks = await readEach(endpoint, from, to)
    return { blocks, logs: await readLogsOfAll(endpoint, filters) }
  }
  const read = withTransactions ? readBlockOrNull : readHeaderOrNull
  const blocks = responses.slice(0, blockCalls.length).map((response) => readValue(response, read))
  return {
    blocks: checkContinuous(blocks, from),
    logs: await takeLogs(endpoint, filters, responses.slice(blockCalls.length)),
  }
}

async function takeLogs(
  endpoint: Endpoint,
  filters: readonly LogFilter[],
  responses: readonly RpcResponse[] | undefined,
): Promise<ChainLog[]> {
  const taken: ChainLog[][] = []
  for (const [i, filter] of filters.entries()) {
    const response = responses?.[i]
    const isResponse = response?.kind === 'value'
    taken.push(isResponse ? checkLogs(readLogList(response.value), filter) : await readLogs(endpoint, filter))
  }
  return taken.flat()
}

function heights(from: bigint, to: bigint): bigint[] {
  return Array.from({ length: Number(to - from) + 1 }, (_, i) => from + BigInt(i))
}

/** Returns the block at which to cut a failed range, or `undefined` if a smaller range cannot help. */
function middleOf(error: unknown, from: bigint, to: bigint): bigint | undefined {
  return from < to && isCuredByLess(error) ? (from + to) / 2n : undefined
}

/**
 * Checks that blocks are continuous. An endpoint behind a load balancer may mix two views of the chain, or
 * lag behind.
 */
function checkContinuous<T extends BlockHeader>(blocks: readonly (T | undefined)[], from: bigint): T[] {
  return blocks.map((block, i) => {
    if (!block || block.number !== from + BigInt(i))
      throw new EndpointUnavailable('unreachable', `block ${from + BigInt(i)} is missing`)
    if (i > 0 && block.parentHash !== blocks[i - 1]?.hash)
      throw new EndpointUnavailable('unreachable', `block ${block.number} does not follow the previous one`)
    return block
  })
}
