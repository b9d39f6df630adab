import type { Outbound, OutboundOutcome, OutboundRequest } from '../../../src/platform/outbound/outbound.ts'
import { type FarChain, farChain } from './far-chain.ts'

/** A log as a node writes it. */
export type RawLog = {
  readonly address: string
  readonly topics: readonly string[]
  readonly transactionHash: string
}

/** An endpoint that answers late and leaves logs out of its lists; receipts and balances it tells as they are. */
export type HidingEndpoint = {
  /** Goes between the service and the chain. */
  readonly outbound: (real: Outbound) => Outbound
  /** Leaves these logs out of lists of logs, in the next list that has one or, with `for ever`, in every one. */
  hide(isHidden: (log: RawLog) => boolean, times?: 'once' | 'for ever'): void
  /** The way to it: near until it is said to be far. */
  readonly far: FarChain
  /** How many lists logs were left out of. */
  readonly hiddenCount: number
}

/** Makes it. */
export function makeHidingEndpoint(): HidingEndpoint {
  const far = farChain()
  let isHidden: ((log: RawLog) => boolean) | undefined
  let isForEver = false
  let hiddenCount = 0

  async function request(real: Outbound, asked: OutboundRequest): Promise<OutboundOutcome> {
    const outcome = await real.request(asked)
    if (!isHidden || outcome.kind === 'fault' || !asked.body?.includes('eth_getLogs')) return outcome
    const calls = [JSON.parse(asked.body)].flat() as { id: unknown; method: string }[]
    const logCalls = new Set(calls.flatMap(({ id, method }) => (method === 'eth_getLogs' ? [id] : [])))
    type Reply = { id: unknown; result?: unknown }
    const answers = [JSON.parse(Buffer.from(outcome.body).toString())].flat() as Reply[]
    const spoilt = answers.map((answer) => {
      if (!logCalls.has(answer.id) || !Array.isArray(answer.result)) return answer
      const left = (answer.result as RawLog[]).filter((log) => !isHidden?.(log))
      if (left.length === answer.result.length) return answer
      hiddenCount += 1
      if (!isForEver) isHidden = undefined
      return { ...answer, result: left }
    })
    const body = JSON.stringify(Array.isArray(JSON.parse(asked.body)) ? spoilt : spoilt[0])
    return { ...outcome, body: Buffer.from(body) }
  }

  return {
    outbound: (real) => far.over({ request: (asked) => request(real, asked) }),
    far,
    hide(hidden, times = 'once') {
      isHidden = hidden
      isForEver = times === 'for ever'
    },
    get hiddenCount() {
      return hiddenCount
    },
  }
}
