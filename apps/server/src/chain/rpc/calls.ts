import type { Hex, LogPattern } from '../chain.ts'
import type { RpcCall } from './rpc.ts'

/** The call that gives a block, by height or tag. */
export function blockCall(height: bigint | string, withTransactions: boolean): RpcCall {
  const block = typeof height === 'bigint' ? toQuantity(height) : height
  return { method: 'eth_getBlockByNumber', params: [block, withTransactions] }
}

/** A number as JSON-RPC takes it. */
export function toQuantity(value: bigint): Hex {
  return `0x${value.toString(16)}`
}

/** The call that gives the logs of a range. */
export function logsCall(filter: LogPattern & { from: bigint; to: bigint | 'latest' }): RpcCall {
  const { from, to, addresses, topics } = filter
  const range = { fromBlock: toQuantity(from), toBlock: to === 'latest' ? to : toQuantity(to), topics }
  return { method: 'eth_getLogs', params: [addresses ? { ...range, address: addresses } : range] }
}
