import { isDeepStrictEqual } from 'node:util'
import type { StateLog } from '../../platform/state-log.ts'
import type { BlockHeader, ChainHead, Hex } from '../chain.ts'
import type { Endpoint } from './endpoint.ts'
import { readHeader, readHeaderOrNull, readValue } from './read-answer.ts'
import { blockCall, EndpointUnavailable, type RpcAnswer, type RpcCall } from './rpc.ts'

/** The endpoints of one chain, at least one. */
export type Endpoints = { readonly all: readonly Endpoint[]; readonly states: StateLog }

/** Endpoints agree on most of what they are asked even while they differ in something. */
const agreementMs = 60_000

/**
 * One answer that two endpoints gave alike (decisions: Payments on chain, Endpoints).
 *
 * With a single endpoint configured its word is taken. Where of several only one can be reached, its
 * word counts up to the block it calls final. Where those that answer differ, nothing counts: the
 * operator is alerted and the caller has to come again.
 *
 * @param read.by - What of an answer has to be the same; all of it where absent.
 * @param read.upTo - The highest block the answer depends on.
 * @throws {ChainUnavailable}
 */
export async function readAgreed<T>(
  endpoints: Endpoints,
  read: {
    from(endpoint: Endpoint): Promise<T>
    by?(answer: NoInfer<T>): unknown
    upTo: bigint
  },
): Promise<T> {
  const [first, ...others] = endpoints.all
  if (first && others.length === 0) return read.from(first)
  const answered = await askAll(endpoints, read.from)
  const said = answered.map(({ answer }) => (read.by ? read.by(answer) : answer))
  for (const [i, { answer }] of answered.entries()) {
    if (!said.slice(0, i).some((earlier) => isDeepStrictEqual(earlier, said[i]))) continue
    endpoints.states.end('agreement', 'RPC endpoints agree again', { calmMs: agreementMs })
    return answer
  }
  const [only] = answered
  if (!only) throw new EndpointUnavailable('unreachable', 'no endpoint answers')
  if (answered.length > 1) throw disagreement(endpoints, answered)
  const { final } = await readOwnHead(only.endpoint)
  if (read.upTo <= final.number) return only.answer
  throw new EndpointUnavailable(
    'unreachable',
    'only one of several endpoints is left, and the block is not final',
  )
}

/**
 * Where the chain stands, as far as two endpoints know it; as far as it is final where only one of
 * several is left.
 */
export async function readAgreedHead(endpoints: Endpoints): Promise<ChainHead> {
  const [first, ...others] = endpoints.all
  if (first && others.length === 0) return readOwnHead(first)
  const answered = await askAll(endpoints, readOwnHead)
  const heads = answered.map(({ answer }) => answer)
  const [only] = heads
  if (!only) throw new EndpointUnavailable('unreachable', 'no endpoint answers')
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
  if (!latest) throw new EndpointUnavailable('unreachable', 'the head is gone again')
  return { ...head, latest }
}

/** The first good answer of any endpoint: for reads on which no credit depends. */
export async function readAny<T>(
  endpoints: Endpoints,
  from: (endpoint: Endpoint) => Promise<T>,
  isEnough: (answer: T) => boolean = () => true,
): Promise<T> {
  let answer: { value: T } | undefined
  let fault: unknown
  for (const endpoint of endpoints.all) {
    try {
      answer = { value: await from(endpoint.begin()) }
      if (isEnough(answer.value)) return answer.value
    } catch (error) {
      if (!(error instanceof EndpointUnavailable)) throw error
      fault = error
    }
  }
  if (answer) return answer.value
  throw fault
}

/** The header at a height, as one endpoint sees it. */
export async function findHeader(endpoint: Endpoint, height: bigint): Promise<BlockHeader | undefined> {
  const [answer] = await endpoint.ask([blockCall(height, false)])
  return readValue(answer, readHeaderOrNull)
}

const headCalls: readonly RpcCall[] = ['latest', 'safe', 'finalized', '0x0'].map((tag) =>
  blockCall(tag, false),
)

async function readOwnHead(endpoint: Endpoint): Promise<ChainHead> {
  const answers = await endpoint.ask(headCalls)
  const latest = readValue(answers[0], readHeader)
  const tagged = (answer: RpcAnswer | undefined) => {
    if (answer?.kind === 'value' && answer.value !== null) return readHeader(answer.value)
    // A chain too young to have a safe or final block has its first one for both.
    if (latest.number < youngChainBlocks) return readValue(answers[3], readHeader)
    throw new EndpointUnavailable(
      'unreachable',
      `${endpoint.label} does not report which blocks are safe and final`,
    )
  }
  return { latest, safe: tagged(answers[1]), final: tagged(answers[2]) }
}

/** A chain higher than this has final blocks: an endpoint that names none has a fault, or is of no use. */
const youngChainBlocks = 10_000n

/** What each endpoint that can be used answers, and the endpoint for this reading. */
async function askAll<T>(endpoints: Endpoints, from: (endpoint: Endpoint) => Promise<T>) {
  const readings = endpoints.all.map((endpoint) => endpoint.begin())
  const results = await Promise.allSettled(readings.map(from))
  return results.flatMap((result, i) => {
    const endpoint = readings[i]
    if (result.status === 'fulfilled' && endpoint) return [{ endpoint, answer: result.value }]
    if (result.status === 'rejected' && !(result.reason instanceof EndpointUnavailable)) throw result.reason
    return []
  })
}

function knownByTwo(headers: readonly BlockHeader[]): BlockHeader {
  const second = [...headers].sort((a, b) => (a.number < b.number ? 1 : -1))[1]
  if (!second) throw new EndpointUnavailable('unreachable', 'fewer than two endpoints answer')
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

/** The answer of an endpoint to one call. */
export async function askOne(
  endpoint: Endpoint,
  method: string,
  params: readonly unknown[],
): Promise<RpcAnswer | undefined> {
  const [answer] = await endpoint.ask([{ method, params }])
  return answer
}

/** What a call reverted with, or `undefined` where it did not, as nodes tell a revert: code 3 or its word. */
export function readRevert(answer: RpcAnswer | undefined): Hex | undefined {
  if (answer?.kind !== 'error') return undefined
  if (answer.code !== 3 && !/revert/i.test(answer.message)) return undefined
  return typeof answer.data === 'string' && /^0x([0-9a-fA-F]{2})*$/.test(answer.data)
    ? (answer.data.toLowerCase() as Hex)
    : '0x'
}
