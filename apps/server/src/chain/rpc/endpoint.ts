import type { UnixMs } from '@sluice/protocol/time.ts'
import { type Clock, isAhead } from '../../kernel/clock.ts'
import { FairSlots } from '../../kernel/turns/fair-slots.ts'
import type { Log } from '../../platform/log.ts'
import type { Outbound, OutboundOutcome } from '../../platform/outbound/outbound.ts'
import { StateLog } from '../../platform/state-log.ts'
import { readQuantity, readValue } from './read-response.ts'
import {
  type BatchLimit,
  callRpc,
  callsPerBatch,
  EndpointUnavailable,
  type RpcCall,
  type RpcResponse,
} from './rpc.ts'

export type Endpoint = {
  /** Contains only the host, for logs: paths of RPC URLs often contain keys. */
  readonly label: string
  /**
   * Returns the answers in the order of the calls.
   *
   * @throws {ChainUnavailable}
   */
  ask(calls: readonly RpcCall[]): Promise<RpcResponse[]>
  /**
   * Returns the endpoint for one reading, which may request less after a fault, even while the endpoint is
   * paused.
   */
  begin(): Endpoint
}

const chainIdHoldsMs = 60_000
const pauseAfterErrorMs = 2_000
const timeoutMs = 8_000
/** Timeout of a liveness probe. */
const signTimeoutMs = 2_000
const chainIdCall: RpcCall = { method: 'eth_chainId', params: [] }
const maxResponseBytes = 32 * 1024 * 1024

/**
 * Opens an endpoint and verifies its chain id with the first batch, then every minute.
 *
 * An endpoint of another chain counts as unavailable.
 *
 * @param options.hasSubstitute - Whether other endpoints can answer. If so, a fault pauses this one for two
 * seconds or until it answers, so that a hanging endpoint does not slow every read. A reading in progress may
 * continue; after a timeout, only if the endpoint answers a small request at once.
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
  let suspendedUntil = 0

  function begin(): Endpoint {
    let hasBegun = false
    let wasSlow = false
    async function ask(calls: readonly RpcCall[]): Promise<RpcResponse[]> {
      if (!hasBegun && isAhead(suspendedUntil, clock.now(), pauseAfterErrorMs))
        throw new EndpointUnavailable('unreachable', `${label} is temporarily not used`)
      hasBegun = true
      try {
        if (wasSlow && options.hasSubstitute) await askForSign(sendWithin(signTimeoutMs), label)
        wasSlow = false
        const responses = await askChecked(calls)
        suspendedUntil = 0
        return responses
      } catch (error) {
        wasSlow = error instanceof EndpointUnavailable && error.error === 'slow'
        const isAway = error instanceof EndpointUnavailable && error.error !== 'too-large'
        if (isAway && options.hasSubstitute) suspendedUntil = clock.now() + pauseAfterErrorMs
        throw error
      }
    }
    return { label, ask, begin }
  }

  async function askChecked(calls: readonly RpcCall[]): Promise<RpcResponse[]> {
    const isDue = checkedAt === undefined || Math.abs(clock.now() - checkedAt) >= chainIdHoldsMs
    if (!isDue) return callRpc(send, calls, limit)
    const [id, ...responses] = await callRpc(send, [chainIdCall, ...calls], limit)
    checkChainId(readValue(id, readQuantity))
    checkedAt = clock.now()
    return responses
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
    states.say('chain', String(id), 'error', fields, 'an RPC endpoint serves the wrong chain')
    throw new EndpointUnavailable('wrong-chain', `${label} serves chain ${id}`)
  }

  return { label, ask: (calls) => begin().ask(calls), begin }
}

type Send = (body: string) => Promise<OutboundOutcome>

/** Same as the sockets per host in outbound HTTP: a request's timeout starts when it is sent. */
const queue = { atOnce: 4, atOnceEach: 4, waiting: 1_000, waitingEach: 1_000 }
/** Longer than a full round of slow answers, because the calling job retries later. */
const patienceMs = 30_000

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

/**
 * Checks that the endpoint responds. Smaller requests to a silent endpoint would each use the full timeout.
 */
async function askForSign(send: Send, label: string): Promise<void> {
  await callRpc(send, [chainIdCall], { calls: 1 }).catch((error: unknown) => {
    if (!(error instanceof EndpointUnavailable)) throw error
    throw new EndpointUnavailable('unreachable', `${label} does not respond: ${error.cause}`)
  })
}
