import type { OutboundOutcome } from '../../platform/outbound/outbound.ts'
import type { Hex, LogPattern } from '../chain.ts'
import { ChainUnavailable } from '../chain-time.ts'

export type RpcCall = { readonly method: string; readonly params: readonly unknown[] }

export type RpcResponse =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly data: unknown }

/** Reason for an unusable answer. A smaller request may avoid `too-large`, `slow` and `malformed`. */
export type RpcError = 'unreachable' | 'slow' | 'too-large' | 'malformed' | 'wrong-chain' | 'disagreement'

/** One endpoint gave no usable response. `fault` contains the reason. Other endpoints may still respond. */
export class EndpointUnavailable extends ChainUnavailable {
  readonly error: RpcError

  constructor(reason: RpcError, detail: string) {
    super('The chain is currently unavailable', { cause: new Error(detail) })
    this.error = reason
  }
}

export function isCuredByLess(error: unknown): error is EndpointUnavailable {
  return error instanceof EndpointUnavailable && ['too-large', 'slow', 'malformed'].includes(error.error)
}

const triesPerBatch = 2

/** Calls per batch; reduced when the endpoint refuses a batch for its size. */
export type BatchLimit = { calls: number }

/** Initial batch size. Public endpoints accept far fewer calls. */
export const callsPerBatch = 100

/** Fewer than the sockets per endpoint, so that a large read leaves room for small ones. */
const batchesAtOnce = 3

/**
 * Sends calls to one endpoint in concurrent batches and returns the answers in the order of the calls.
 *
 * Halves a batch that is refused for its size, and keeps later batches as small. Retries an unreachable
 * endpoint only once, because the calling jobs repeat their work.
 *
 * @param send - Sends a batch when the request queue has room.
 * @throws {EndpointUnavailable}
 */
export async function callRpc(
  send: (body: string) => Promise<OutboundOutcome>,
  calls: readonly RpcCall[],
  limit: BatchLimit,
): Promise<RpcResponse[]> {
  const responses: RpcResponse[] = new Array(calls.length)
  const unasked = [{ from: 0, to: calls.length }]
  const takeBatch = () => {
    const range = unasked.pop()
    if (!range || range.from === range.to) return undefined
    const to = Math.min(range.to, range.from + limit.calls)
    if (to < range.to) unasked.push({ from: to, to: range.to })
    return { from: range.from, to }
  }
  let hasFailed = false
  const work = async () => {
    for (let batch = takeBatch(); batch && !hasFailed; batch = takeBatch()) {
      const answered = await callBatch(send, calls.slice(batch.from, batch.to)).catch((error: unknown) => {
        hasFailed = true
        throw error
      })
      if (answered === 'fewer') {
        limit.calls = Math.min(limit.calls, (batch.to - batch.from) >> 1)
        unasked.push(batch)
      } else for (const [i, response] of answered.entries()) responses[batch.from + i] = response
    }
  }
  await Promise.all(Array.from({ length: batchesAtOnce }, work))
  return responses
}

async function callBatch(
  send: (body: string) => Promise<OutboundOutcome>,
  calls: readonly RpcCall[],
): Promise<RpcResponse[] | 'fewer'> {
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
  for (let attempt = 1; ; attempt++) {
    const outcome = await send(body)
    if (outcome.kind === 'response') return readBatch(outcome.status, outcome.body, calls.length)
    if (outcome.error === 'network' && attempt < triesPerBatch) continue
    const reason =
      outcome.error === 'timeout' ? 'slow' : outcome.error === 'too-large' ? 'too-large' : 'unreachable'
    throw new EndpointUnavailable(reason, `${outcome.error}: ${outcome.detail}`)
  }
}

function readBatch(status: number, body: Uint8Array, count: number): RpcResponse[] | 'fewer' {
  const parsed = parseJson(body)
  if (!Array.isArray(parsed)) {
    const error = readError(parsed)
    if (count > 1 && (status === 413 || /batch/i.test(error?.message ?? ''))) return 'fewer'
    if (status === 413) throw new EndpointUnavailable('too-large', `status ${status}`)
    if (status !== 200) throw new EndpointUnavailable('unreachable', `status ${status}`)
    // Some nodes refuse a whole batch with one error outside any array.
    if (error) return Array.from({ length: count }, () => error)
    throw new EndpointUnavailable('malformed', 'the response is not a batch')
  }
  const responses: (RpcResponse | undefined)[] = Array.from({ length: count })
  for (const item of parsed as unknown[]) {
    const id = isRecord(item) ? item.id : undefined
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= count || responses[id])
      throw new EndpointUnavailable('malformed', 'a response has an unknown id')
    responses[id] = readResponse(item)
  }
  return responses.map((response) => {
    if (!response) throw new EndpointUnavailable('malformed', 'a call has no response')
    return response
  })
}

function readResponse(item: unknown): RpcResponse {
  const error = readError(item)
  if (error) return error
  if (isRecord(item) && 'result' in item) return { kind: 'value', value: item.result }
  throw new EndpointUnavailable('malformed', 'a response is neither a result nor an error')
}

function readError(item: unknown): Extract<RpcResponse, { kind: 'error' }> | undefined {
  if (!isRecord(item) || !isRecord(item.error)) return undefined
  const { code, message, data } = item.error
  return {
    kind: 'error',
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message.slice(0, 300) : '',
    data,
  }
}

export function blockCall(height: bigint | string, withTransactions: boolean): RpcCall {
  const block = typeof height === 'bigint' ? toQuantity(height) : height
  return { method: 'eth_getBlockByNumber', params: [block, withTransactions] }
}

export function toQuantity(value: bigint): Hex {
  return `0x${value.toString(16)}`
}

export function logsCall(filter: LogPattern & { from: bigint; to: bigint }): RpcCall {
  const { from, to, addresses, topics } = filter
  const range = { fromBlock: toQuantity(from), toBlock: toQuantity(to), topics }
  return { method: 'eth_getLogs', params: [addresses ? { ...range, address: addresses } : range] }
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
