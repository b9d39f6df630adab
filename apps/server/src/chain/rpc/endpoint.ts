import type { UnixMs } from '@sluice/protocol/time.ts'
import { type Clock, isAhead } from '../../kernel/clock.ts'
import { FairSlots } from '../../kernel/turns/fair-slots.ts'
import type { Log } from '../../platform/log.ts'
import type { Outbound, OutboundOutcome } from '../../platform/outbound/outbound.ts'
import { StateLog } from '../../platform/state-log.ts'
import { readQuantity, readValue } from './read-answer.ts'
import {
  type BatchLimit,
  callRpc,
  callsPerBatch,
  EndpointUnavailable,
  type RpcAnswer,
  type RpcCall,
} from './rpc.ts'

/** One JSON-RPC endpoint of which it is known that it serves the right chain. */
export type Endpoint = {
  /** The host, for logs: paths of RPC URLs often hold keys. */
  readonly label: string
  /**
   * Answers in the order of the calls.
   *
   * @throws {ChainUnavailable}
   */
  ask(calls: readonly RpcCall[]): Promise<RpcAnswer[]>
  /** The endpoint for one reading, which may ask for less after a fault, also while the endpoint stands aside for others. */
  begin(): Endpoint
}

const chainIdHoldsMs = 60_000 // decisions: Payments on chain, Endpoints
const pauseAfterFaultMs = 2_000
const timeoutMs = 8_000
/** For an endpoint that is there to say so. */
const signTimeoutMs = 2_000
const chainIdCall: RpcCall = { method: 'eth_chainId', params: [] }
const maxResponseBytes = 32 * 1024 * 1024

/**
 * An endpoint. Its chain id is asked with the first batch and again every minute, in the batch that
 * is sent anyway; while it is another chain's the endpoint counts as unavailable.
 *
 * @param options.hasSubstitute - Others can answer in its place: then a fault makes it stand aside
 * for two seconds or until it answers, so that one that hangs does not slow down every read. A reading that has begun may
 * go on; after an answer that did not come in time it does where the endpoint answers something small at once.
 */
export function openEndpoint(
  needs: { outbound: Outbound; clock: Clock; log: Log },
  options: { url: string; chainId: number; hasSubstitute: boolean },
): Endpoint {
  const { clock, log } = needs
  const states = new StateLog(log)
  const label = new URL(options.url).host
  const limit: BatchLimit = { calls: callsPerBatch }
  const sendWithin = senderTo(needs, options.url)
  const send = sendWithin(timeoutMs)
  let checkedAt: UnixMs | undefined
  let asideUntil = 0

  function begin(): Endpoint {
    let hasBegun = false
    let wasSlow = false
    async function ask(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
      if (!hasBegun && isAhead(asideUntil, clock.now(), pauseAfterFaultMs))
        throw new EndpointUnavailable('unreachable', `${label} is not used for now`)
      hasBegun = true
      try {
        if (wasSlow && options.hasSubstitute) await askForSign(sendWithin(signTimeoutMs), label)
        wasSlow = false
        const answers = await askChecked(calls)
        asideUntil = 0
        return answers
      } catch (error) {
        wasSlow = error instanceof EndpointUnavailable && error.fault === 'slow'
        const isAway = error instanceof EndpointUnavailable && error.fault !== 'too-large'
        if (isAway && options.hasSubstitute) asideUntil = clock.now() + pauseAfterFaultMs
        throw error
      }
    }
    return { label, ask, begin }
  }

  async function askChecked(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    const isDue = checkedAt === undefined || Math.abs(clock.now() - checkedAt) >= chainIdHoldsMs
    if (!isDue) return callRpc(send, calls, limit)
    const [id, ...answers] = await callRpc(send, [chainIdCall, ...calls], limit)
    checkChainId(readValue(id, readQuantity))
    checkedAt = clock.now()
    return answers
  }

  function checkChainId(id: bigint): void {
    if (id === BigInt(options.chainId)) {
      states.end('chain', 'an RPC endpoint serves the right chain again', { endpoint: label })
      return
    }
    checkedAt = undefined
    const fields = {
      alert: 'wrong-chain',
      endpoint: label,
      chainId: id.toString(),
      expected: options.chainId,
    }
    states.say('chain', String(id), 'error', fields, 'an RPC endpoint serves another chain')
    throw new EndpointUnavailable('wrong-chain', `${label} serves chain ${id}`)
  }

  return { label, ask: (calls) => begin().ask(calls), begin }
}

type Send = (body: string) => Promise<OutboundOutcome>

/** As many at once as outbound HTTP opens sockets to a host: what a request may take is counted from when it is sent. */
const queue = { atOnce: 4, atOnceEach: 4, waiting: 1_000, waitingEach: 1_000 }
/** Longer than a whole round of slow answers; whoever waits longer comes again by itself. */
const patienceMs = 30_000

/** Sends to an endpoint, when its turn has come, what is to be answered within a time. */
function senderTo({ outbound, clock }: { outbound: Outbound; clock: Clock }, url: string) {
  const slots = new FairSlots(queue)
  const headers = { 'content-type': 'application/json' }
  return (timeoutMs: number): Send =>
    async (body) => {
      const since = clock.now()
      const request = { method: 'POST', url, headers, body, timeoutMs, maxResponseBytes } as const
      const isGone = () => clock.now() - since > patienceMs
      const outcome = await slots.run('', () => outbound.request(request), isGone)
      if (typeof outcome === 'object') return outcome
      throw new EndpointUnavailable('unreachable', 'the endpoint has been busy for too long')
    }
}

/** One that says nothing at all is not asked for ever less: each time would take as long. */
async function askForSign(send: Send, label: string): Promise<void> {
  await callRpc(send, [chainIdCall], { calls: 1 }).catch((error: unknown) => {
    if (!(error instanceof EndpointUnavailable)) throw error
    throw new EndpointUnavailable('unreachable', `${label} does not answer: ${error.cause}`)
  })
}
