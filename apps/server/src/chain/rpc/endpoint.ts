import type { UnixMs } from '@sluice/protocol/time.ts'
import { type Clock, isAhead } from '../../kernel/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { StateLog } from '../../platform/state-log.ts'
import { openLane } from './lane.ts'
import { readValue } from './read-answer.ts'
import { readQuantity } from './read-field.ts'
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
}

const chainIdHoldsMs = 60_000 // decisions: Payments on chain, Endpoints
const pauseAfterFaultMs = 2_000
const timeoutMs = 8_000
const maxResponseBytes = 32 * 1024 * 1024

/**
 * An endpoint. Its chain id is asked with the first batch and again every minute, in the batch that
 * is sent anyway; while it is another chain's the endpoint counts as unavailable.
 *
 * @param options.hasSubstitute - Others can answer in its place: then a fault makes it stand aside
 * for two seconds, so that one that hangs does not slow down every read.
 */
export function openEndpoint(
  needs: { outbound: Outbound; clock: Clock; log: Log },
  options: { url: string; chainId: number; hasSubstitute: boolean },
): Endpoint {
  const { clock, log } = needs
  const states = new StateLog(log)
  const label = new URL(options.url).host
  const limit: BatchLimit = { calls: callsPerBatch }
  const lane = openLane(clock)
  let checkedAt: UnixMs | undefined
  let asideUntil = 0

  const send = (body: string) =>
    lane(() =>
      needs.outbound.request({
        method: 'POST',
        url: options.url,
        headers: { 'content-type': 'application/json' },
        body,
        timeoutMs,
        maxResponseBytes,
      }),
    )

  async function ask(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    if (isAhead(asideUntil, clock.now(), pauseAfterFaultMs))
      throw new EndpointUnavailable('unreachable', `${label} is not used for now`)
    try {
      const isDue = checkedAt === undefined || Math.abs(clock.now() - checkedAt) >= chainIdHoldsMs
      if (!isDue) return await callRpc(send, calls, limit)
      const all = [{ method: 'eth_chainId', params: [] }, ...calls]
      const [id, ...answers] = await callRpc(send, all, limit)
      checkChainId(readValue(id, readQuantity))
      checkedAt = clock.now()
      return answers
    } catch (error) {
      const isAway = error instanceof EndpointUnavailable && error.fault !== 'too-large'
      if (isAway && options.hasSubstitute) asideUntil = clock.now() + pauseAfterFaultMs
      throw error
    }
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

  return { label, ask }
}
