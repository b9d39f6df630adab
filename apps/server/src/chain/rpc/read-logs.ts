import type { ChainLog, Hex, LogFilter } from '../chain.ts'
import { malformed, readAddress, readBytes, readCount, readHash, readQuantity } from './read-field.ts'
import { EndpointUnavailable, isRecord } from './rpc.ts'

/** The virtual machine has no instruction for more. */
const mostTopics = 4

/**
 * All logs of an answer, none of them removed.
 *
 * A log has most of its texts from the one before it, such as its block: those that are the same are not read again.
 */
export function readLogList(value: unknown): ChainLog[] {
  if (!Array.isArray(value)) throw malformed('a list of logs')
  const logs: ChainLog[] = []
  let raw: RawLog | undefined
  let log: ChainLog | undefined
  for (const item of value as readonly unknown[]) {
    const next = judgeRaw(item)
    log = readLog(next, raw, log)
    raw = next
    logs.push(log)
  }
  return logs
}

/**
 * The same logs, once it is known that each was asked for and that they stand in the order of the chain, none of them
 * twice.
 *
 * @throws {EndpointUnavailable}
 */
export function checkLogs(logs: ChainLog[], filter: LogFilter): ChainLog[] {
  const { addresses, topics } = setsOf(filter)
  let before: ChainLog | undefined
  for (const log of logs) {
    const isSameBlock = before !== undefined && before.blockNumber === log.blockNumber
    const isAsked =
      (isSameBlock || (log.blockNumber >= filter.from && log.blockNumber <= filter.to)) &&
      (before?.address === log.address || !addresses || addresses.has(log.address)) &&
      areAsked(log.topics, topics)
    if (!isAsked) throw new EndpointUnavailable('malformed', 'a log that was not requested')
    const isInOrder =
      before === undefined ||
      (isSameBlock ? before.logIndex < log.logIndex : before.blockNumber < log.blockNumber)
    if (!isInOrder) throw new EndpointUnavailable('malformed', 'logs out of order')
    before = log
  }
  return logs
}

/** Those of a block's logs that a filter asks for. */
export function selectLogs(logs: readonly ChainLog[], filter: LogFilter): ChainLog[] {
  const { addresses, topics } = setsOf(filter)
  return logs.filter((log) => (!addresses || addresses.has(log.address)) && areAsked(log.topics, topics))
}

function setsOf({ addresses, topics }: LogFilter) {
  return {
    addresses: addresses && new Set<string>(addresses),
    topics: topics.map((wanted) => (wanted === null ? null : new Set<string>([wanted].flat()))),
  }
}

/** A log whose members may have any form yet. */
type RawLog = { readonly topics: readonly unknown[] } & Readonly<
  Record<
    'address' | 'data' | 'blockNumber' | 'blockHash' | 'transactionHash' | 'logIndex' | 'removed',
    unknown
  >
>

function judgeRaw(value: unknown): RawLog {
  if (!isRecord(value)) throw malformed('a log')
  const raw = value as RawLog
  if (!Array.isArray(raw.topics) || raw.topics.length > mostTopics || raw.removed === true)
    throw malformed('a log')
  return raw
}

function readLog(raw: RawLog, rawBefore: RawLog | undefined, before: ChainLog | undefined): ChainLog {
  const { address, topics, data, blockNumber, blockHash, transactionHash, logIndex } = raw
  if (!rawBefore || !before)
    return {
      address: readAddress(address),
      topics: topics.map(readHash),
      data: readBytes(data),
      blockNumber: readQuantity(blockNumber),
      blockHash: readHash(blockHash),
      transactionHash: readHash(transactionHash),
      logIndex: readCount(logIndex),
    }
  return {
    address: address === rawBefore.address ? before.address : readAddress(address),
    topics: readTopics(topics, rawBefore.topics, before.topics),
    data: data === rawBefore.data ? before.data : readBytes(data),
    blockNumber: blockNumber === rawBefore.blockNumber ? before.blockNumber : readQuantity(blockNumber),
    blockHash: blockHash === rawBefore.blockHash ? before.blockHash : readHash(blockHash),
    transactionHash:
      transactionHash === rawBefore.transactionHash ? before.transactionHash : readHash(transactionHash),
    logIndex: readCount(logIndex),
  }
}

function readTopics(
  topics: readonly unknown[],
  rawBefore: readonly unknown[],
  before: readonly Hex[],
): Hex[] {
  const read: Hex[] = []
  for (let i = 0; i < topics.length; i++) {
    const known = before[i]
    read.push(known !== undefined && topics[i] === rawBefore[i] ? known : readHash(topics[i]))
  }
  return read
}

function areAsked(topics: readonly Hex[], wanted: readonly (ReadonlySet<string> | null)[]): boolean {
  for (let i = 0; i < wanted.length; i++) {
    const set = wanted[i]
    if (!set) continue
    const topic = topics[i]
    if (topic === undefined || !set.has(topic)) return false
  }
  return true
}
