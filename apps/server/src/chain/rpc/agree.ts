import { isDeepStrictEqual } from 'node:util'
import type { StateLog } from '../../platform/state-log.ts'
import type { BlockHeader, ChainHead, Hex } from '../chain.ts'
import type { Endpoint } from './endpoint.ts'
import { readHeader, readHeaderOrNull, readValue } from './read-response.ts'
import { blockCall, EndpointUnavailable, type RpcCall, type RpcResponse } from './rpc.ts'

export type Endpoints = { readonly all: readonly Endpoint[]; readonly states: StateLog }

/**
 * Milliseconds without a difference after which a disagreement is over: endpoints that differ still agree on
 * most reads.
 */
const agreementMs = 60_000

/**
 * Returns an answer on which two endpoints agree.
 *
 * A single configured endpoint is trusted. If only one of several is reachable, its answer counts up to the
 * block that it reports as final. If the answers differ, alerts the operator and throws.
 *
 * @param read.by - Part of an answer that must match; all of it if absent.
 * @param read.upTo - Highest block on which the answer depends.
 * @throws {ChainUnavailable}
 */
export async function readAgreed<T>(
  endpoints: Endpoints,
  read: {
    from(endpoint: Endpoint): Promise<T>
    by?(response: NoInfer<T>): unknown
    upTo: bigint
  },
): Promise<T> {
  const [first, ...others] = endpoints.all
  if (first && others.length === 0) return read.from(first)
  const answered = await askAll(endpoints, read.from)
  const said = answered.map(({ response }) => (read.by ? read.by(response) : response))
  for (const [i, { response }] of answered.entries()) {
    if (!said.slice(0, i).some((earlier) => isDeepStrictEqual(earlier, said[i]))) continue
    endpoints.states.end('agreement', 'RPC endpoints agree again', { calmMs: agreementMs })
    return response
  }
  const [only] = answered
  if (!only) throw new EndpointUnavailable('unreachable', 'no endpoint responds')
  if (answered.length > 1) throw disagreement(endpoints, answered)
  const { final } = await readOwnHead(only.endpoint)
  if (read.upTo <= final.number) return only.response
  throw new EndpointUnavailable('unreachable', 'only one endpoint responds, and the block is not final')
}

/** Returns the head that two endpoints know, or the final block if only one of several answers. */
export async function readAgreedHead(endpoints: Endpoints): Promise<ChainHead> {
  const [first, ...others] = endpoints.all
  if (first && others.length === 0) return readOwnHead(first)
  const answered = await askAll(endpoints, readOwnHead)
  const heads = answered.map(({ response }) => response)
  const [only] = heads
  if (!only) throw new EndpointUnavailable('unreachable', 'no endpoint responds')
  if (heads.length === 1) return { latest: only.final, safe: only.final, final: only.final }
  const head = {
    latest: knownByTwo(heads.map((each) => each.latest)),
    safe: knownByTwo(heads.map((each) => each.safe)),
    final: knownByTwo(heads.map((each) => each.final)),
  }
  if (heads.every(({ latest }) => latest.hash === head.latest.hash)) return head
  const latest = await readAgreed(endpoints, {
    from: (endpoint) => findHeader(endpoint, head.latest.number),
    by: (header) => header?.hash,
    upTo: head.latest.number,
  })
  if (!latest) throw new EndpointUnavailable('unreachable', 'the head no longer exists')
  return { ...head, latest }
}

/** Returns the first usable answer of any endpoint. Only for reads that credit no money. */
export async function readAny<T>(
  endpoints: Endpoints,
  from: (endpoint: Endpoint) => Promise<T>,
  isEnough: (response: T) => boolean = () => true,
): Promise<T> {
  let response: { value: T } | undefined
  let reason: unknown
  for (const endpoint of endpoints.all) {
    try {
      response = { value: await from(endpoint.begin()) }
      if (isEnough(response.value)) return response.value
    } catch (error) {
      if (!(error instanceof EndpointUnavailable)) throw error
      reason = error
    }
  }
  if (response) return response.value
  throw reason
}

export async function findHeader(endpoint: Endpoint, height: bigint): Promise<BlockHeader | undefined> {
  const [response] = await endpoint.ask([blockCall(height, false)])
  return readValue(response, readHeaderOrNull)
}

const headCalls: readonly RpcCall[] = ['latest', 'safe', 'finalized', '0x0'].map((tag) =>
  blockCall(tag, false),
)

async function readOwnHead(endpoint: Endpoint): Promise<ChainHead> {
  const responses = await endpoint.ask(headCalls)
  const latest = readValue(responses[0], readHeader)
  const tagged = (response: RpcResponse | undefined) =>
    response?.kind === 'value' && response.value !== null ? readHeader(response.value) : undefined
  // On a young chain without a final block, the first block is final.
  const young = () => (latest.number < youngChainBlocks ? readValue(responses[3], readHeader) : undefined)
  const final = tagged(responses[2]) ?? young()
  if (!final)
    throw new EndpointUnavailable('unreachable', `${endpoint.label} does not report which blocks are final`)
  // Polygon has no safe blocks: there, a payment is safe once it is final, after seconds.
  return { latest, safe: tagged(responses[1]) ?? final, final }
}

/** Above this height, an endpoint that reports no final block is faulty. */
const youngChainBlocks = 10_000n

async function askAll<T>(endpoints: Endpoints, from: (endpoint: Endpoint) => Promise<T>) {
  const readings = endpoints.all.map((endpoint) => endpoint.begin())
  const results = await Promise.allSettled(readings.map(from))
  return results.flatMap((result, i) => {
    const endpoint = readings[i]
    if (result.status === 'fulfilled' && endpoint) return [{ endpoint, response: result.value }]
    if (result.status === 'rejected' && !(result.reason instanceof EndpointUnavailable)) throw result.reason
    return []
  })
}

function knownByTwo(headers: readonly BlockHeader[]): BlockHeader {
  const second = [...headers].sort((a, b) => (a.number < b.number ? 1 : -1))[1]
  if (!second) throw new EndpointUnavailable('unreachable', 'fewer than two endpoints respond')
  return second
}

function disagreement(
  endpoints: Endpoints,
  answered: readonly { readonly endpoint: Endpoint }[],
): EndpointUnavailable {
  const labels = answered.map(({ endpoint }) => endpoint.label)
  endpoints.states.say(
    'agreement',
    labels.join(),
    'error',
    { alert: 'endpoints-disagree', endpoints: labels },
    'RPC endpoints disagree about the same blocks; nothing is credited until they agree',
  )
  return new EndpointUnavailable('disagreement', `${labels.join(', ')} disagree`)
}

export async function askOne(
  endpoint: Endpoint,
  method: string,
  params: readonly unknown[],
): Promise<RpcResponse | undefined> {
  const [response] = await endpoint.ask([{ method, params }])
  return response
}

export function readRevert(response: RpcResponse | undefined): Hex | undefined {
  if (response?.kind !== 'error') return undefined
  if (response.code !== 3 && !/revert/i.test(response.message)) return undefined
  return typeof response.data === 'string' && /^0x([0-9a-fA-F]{2})*$/.test(response.data)
    ? (response.data.toLowerCase() as Hex)
    : '0x'
}
