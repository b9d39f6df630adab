import type { Outbound, OutboundOutcome, OutboundRequest } from '../../../src/platform/outbound/outbound.ts'

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
  /** Answers this late from now on; at once before. */
  delay(latencyMs: number): void
  /** How many lists logs were left out of. */
  readonly hiddenCount: number
  /** How many calls of the chain were asked so far. */
  readonly callCount: number
}

/** Makes it. */
export function makeHidingEndpoint(): HidingEndpoint {
  let latencyMs = 0
  let isHidden: ((log: RawLog) => boolean) | undefined
  let isForEver = false
  const counts = { hidden: 0, calls: 0 }

  async function request(real: Outbound, asked: OutboundRequest): Promise<OutboundOutcome> {
    await new Promise((resolve) => setTimeout(resolve, latencyMs))
    const outcome = await real.request(asked)
    counts.calls += (asked.body ?? '').split('"method"').length - 1
    if (!isHidden || outcome.kind === 'fault' || !asked.body?.includes('eth_getLogs')) return outcome
    const calls = [JSON.parse(asked.body)].flat() as { id: unknown; method: string }[]
    const logCalls = new Set(calls.flatMap(({ id, method }) => (method === 'eth_getLogs' ? [id] : [])))
    const answers = [JSON.parse(Buffer.from(outcome.body).toString())].flat() as {
      id: unknown
      result?: unknown
    }[]
    const spoilt = answers.map((answer) => {
      if (!logCalls.has(answer.id) || !Array.isArray(answer.result)) return answer
      const left = (answer.result as RawLog[]).filter((log) => !isHidden?.(log))
      if (left.length === answer.result.length) return answer
      counts.hidden += 1
      if (!isForEver) isHidden = undefined
      return { ...answer, result: left }
    })
    const body = JSON.stringify(Array.isArray(JSON.parse(asked.body)) ? spoilt : spoilt[0])
    return { ...outcome, body: Buffer.from(body) }
  }

  return {
    outbound: (real) => ({ request: (asked) => request(real, asked) }),
    hide(hidden, times = 'once') {
      isHidden = hidden
      isForEver = times === 'for ever'
    },
    delay(ms) {
      latencyMs = ms
    },
    get hiddenCount() {
      return counts.hidden
    },
    get callCount() {
      return counts.calls
    },
  }
}
