import type { ChainLog, Hex, LogFilter, LogPattern } from '../chain.ts'
import type { Endpoint } from './endpoint.ts'
import { readValue } from './read-answer.ts'
import { checkLogs, readLogList, selectLogs } from './read-logs.ts'
import { walkReceipts } from './read-receipts.ts'
import { EndpointUnavailable, isCuredByLess, logsCall } from './rpc.ts'

/**
 * Logs of a block of which the endpoint has refused to give as many as a filter asks for. Anybody can put more into a
 * block than a provider gives in one answer, and nothing that comes after may wait for that.
 *
 * The filter is halved by its addresses and topics. What is too much even of one address and one topic is taken from
 * the receipts of the block's transactions, once and for the whole filter: an endpoint that refuses everything is
 * asked a few times more, and not once for every address. So is one that did not answer in time, which may be away.
 *
 * @param refusal - What it said of the whole filter.
 * @throws {EndpointUnavailable}
 */
export async function readCrowdedBlock(
  endpoint: Endpoint,
  filter: LogFilter,
  refusal: EndpointUnavailable,
): Promise<ChainLog[]> {
  try {
    return checkLogs(await readHalves(endpoint, filter, refusal), filter)
  } catch (error) {
    if (!isCuredByLess(error)) throw error
    return readFromReceipts(endpoint, filter)
  }
}

/** Logs that a filter asks for, in one answer of the endpoint. */
export async function askLogs(endpoint: Endpoint, filter: LogFilter): Promise<ChainLog[]> {
  const [answer] = await endpoint.ask([logsCall(filter)])
  if (answer?.kind === 'error') throw new EndpointUnavailable('too-large', `${answer.code} ${answer.message}`)
  return checkLogs(readValue(answer, readLogList), filter)
}

async function readHalves(
  endpoint: Endpoint,
  filter: LogFilter,
  refusal: EndpointUnavailable,
): Promise<ChainLog[]> {
  const halves = halvesOf(filter)
  if (!halves || refusal.fault === 'slow') throw refusal
  const logs: ChainLog[] = []
  for (const pattern of halves) {
    const half = { ...filter, ...pattern }
    const found = await askLogs(endpoint, half).catch((error: unknown) => {
      if (isCuredByLess(error)) return readHalves(endpoint, half, error)
      throw error
    })
    for (const log of found) logs.push(log)
  }
  if (logs.some(({ blockHash }) => blockHash !== logs[0]?.blockHash))
    throw new EndpointUnavailable('unreachable', `block ${filter.from} was replaced while it was read`)
  return logs.sort((one, other) => one.logIndex - other.logIndex)
}

/** Two filters that together ask for the same, cut where the filter is widest; none for one of single values. */
function halvesOf({ addresses, topics }: LogPattern): LogPattern[] | undefined {
  // An empty list asks for everything: no half may be one.
  const contracts = [...new Set(addresses)]
  const lists = topics.map((wanted) => [...new Set<Hex>([wanted ?? []].flat())])
  const widest = lists.reduce((most, { length }) => Math.max(most, length), contracts.length)
  if (widest < 2) return undefined
  if (contracts.length === widest) return cut(contracts).map((half) => ({ addresses: half, topics }))
  const at = lists.findIndex(({ length }) => length === widest)
  return cut(lists[at] ?? []).map((half) => ({
    ...(addresses && { addresses }),
    topics: topics.map((wanted, i) => (i === at ? half : wanted)),
  }))
}

function cut<T>(list: readonly T[]): (readonly T[])[] {
  return [list.slice(0, list.length >> 1), list.slice(list.length >> 1)]
}

/** Of each portion of the receipts only what the filter asks for is kept. */
async function readFromReceipts(endpoint: Endpoint, filter: LogFilter): Promise<ChainLog[]> {
  const found: ChainLog[] = []
  await walkReceipts(endpoint, filter.from, (receipts) => {
    for (const { logs } of receipts) for (const log of selectLogs(logs, filter)) found.push(log)
  })
  return checkLogs(found, filter)
}
