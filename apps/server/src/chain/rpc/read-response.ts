import type { UnixMs } from '@sluice/protocol/time.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Block, BlockHeader, BlockTransaction, ChainLog, Hex, TransactionReceipt } from '../chain.ts'
import { EndpointUnavailable, isRecord, type RpcResponse } from './rpc.ts'

/**
 * Converts an endpoint's answer. Malformed data counts as an unavailable endpoint and never crashes the
 * service.
 */
export function readValue<T>(response: RpcResponse | undefined, read: (value: unknown) => T): T {
  if (response?.kind === 'value') return read(response.value)
  throw new EndpointUnavailable(
    'unreachable',
    `the node returned an error: ${response?.code} ${response?.message}`,
  )
}

export function readHeaderOrNull(value: unknown): BlockHeader | undefined {
  return value === null ? undefined : readHeader(value)
}

export function readHeader(value: unknown): BlockHeader {
  if (!isRecord(value)) throw malformed('a block')
  return {
    number: readQuantity(value.number),
    hash: readHash(value.hash),
    parentHash: readHash(value.parentHash),
    at: readSeconds(value.timestamp),
  }
}

export function readBlockOrNull(value: unknown): Block | undefined {
  if (value === null) return undefined
  const header = readHeader(value)
  const { transactions } = value as Record<string, unknown>
  if (!Array.isArray(transactions)) throw malformed("a block's transactions")
  return { ...header, transactions: transactions.map(readTransaction) }
}

function readTransaction(value: unknown): BlockTransaction {
  if (!isRecord(value)) throw malformed('a transaction')
  return {
    hash: readHash(value.hash),
    from: readAddress(value.from),
    to: value.to === null || value.to === undefined ? undefined : readAddress(value.to),
    value: readQuantity(value.value),
  }
}

export function readReceiptOrNull(value: unknown): TransactionReceipt | undefined {
  if (value === null) return undefined
  if (!isRecord(value) || (value.status !== '0x0' && value.status !== '0x1')) throw malformed('a receipt')
  return {
    hash: readHash(value.transactionHash),
    blockNumber: readQuantity(value.blockNumber),
    blockHash: readHash(value.blockHash),
    isSuccess: value.status === '0x1',
    logs: readLogList(value.logs),
    gasUsed: readQuantity(value.gasUsed),
    fee: readQuantity(value.gasUsed) * readOptional(value.effectiveGasPrice) + readOptional(value.l1Fee),
  }
}

function readOptional(value: unknown): bigint {
  return value === undefined || value === null ? 0n : readQuantity(value)
}

function readSeconds(value: unknown): UnixMs {
  const seconds = readQuantity(value)
  if (seconds > 100_000_000_000n) throw malformed('a time')
  return (Number(seconds) * 1000) as UnixMs
}

/** Maximum number of topics of a log in the EVM. */
const mostTopics = 4

export function readLogList(value: unknown): ChainLog[] {
  if (!Array.isArray(value)) throw malformed('a list of logs')
  return value.map(readLog)
}

function readLog(value: unknown): ChainLog {
  if (!isRecord(value) || value.removed === true) throw malformed('a log')
  const { topics } = value
  if (!Array.isArray(topics) || topics.length > mostTopics) throw malformed('a log')
  return {
    address: readAddress(value.address),
    topics: topics.map(readHash),
    data: readBytes(value.data),
    blockNumber: readQuantity(value.blockNumber),
    blockHash: readHash(value.blockHash),
    transactionHash: readHash(value.transactionHash),
    logIndex: readCount(value.logIndex),
  }
}

/** Reads a JSON-RPC quantity: hex, at most 256 bits. */
export function readQuantity(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) throw malformed('a quantity')
  return BigInt(value)
}

function readCount(value: unknown): number {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) throw malformed('a number')
  const count = Number(value)
  if (!Number.isSafeInteger(count)) throw malformed('a number')
  return count
}

export function readBytes(value: unknown): Hex {
  if (typeof value !== 'string' || value.length % 2 !== 0 || !/^0x[0-9a-fA-F]*$/.test(value))
    throw malformed('bytes')
  return value.toLowerCase() as Hex
}

function readHash(value: unknown): Hex {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(value)) throw malformed('a hash')
  return value.toLowerCase() as Hex
}

function readAddress(value: unknown): Wallet {
  const wallet = parseWallet(value)
  if (!wallet) throw malformed('an address')
  return wallet
}

function malformed(what: string): EndpointUnavailable {
  return new EndpointUnavailable('malformed', `${what} does not have the expected format`)
}
