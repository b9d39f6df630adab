import type { Outbound, OutboundOutcome, OutboundRequest } from '../../../src/platform/outbound/outbound.ts'
import { always, type ChainOptions } from '../../support/chain/chain-api.ts'
import { farAwayMs, farChain, openRpcProxy, resetCounts } from '../../support/chain/endpoints.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { countStatements } from '../../support/database/count-statements.ts'

/** Starts payments with an RPC endpoint that hides logs on request. One confirmation is enough. */
export async function startHidingPayments(options: ChainOptions = {}) {
  const endpoint = makeHidingEndpoint()
  const context = await startPayments({ policy: always('seen'), ...options, outbound: endpoint.outbound })
  return {
    ...context,
    endpoint,
    hide: (hashes: readonly string[], times: 'once' | 'for ever' = 'for ever') =>
      endpoint.hide(({ transactionHash }) => hashes.includes(transactionHash), times),
    stop() {
      endpoint.far.isFar = false
      return context.stop()
    },
  }
}

export async function startProxiedPayments() {
  const proxy = await openRpcProxy(farAwayMs)
  const endpoints = (url: string) => {
    proxy.leadTo(url)
    return [proxy.url]
  }
  const context = await startPayments({ policy: always('seen'), endpoints })
  return {
    ...context,
    proxy,
    async stop() {
      await context.stop()
      await proxy.stop()
    },
  }
}

export async function startCountedPayments() {
  const far = farChain()
  const context = await startPayments({ policy: always('seen'), outbound: far.over })
  return {
    ...context,
    far,
    async settle() {
      const { db, total } = countStatements(context.needs.db)
      resetCounts(far.counts)
      await far.whileFar(() => context.scan({ db }))
      return { requests: far.counts.requests, calls: far.counts.calls, statements: total() }
    },
  }
}

type RawLog = {
  readonly address: string
  readonly topics: readonly string[]
  readonly transactionHash: string
}

/**
 * Creates a slow endpoint that hides logs from `eth_getLogs`. Transaction receipts and balances remain
 * correct.
 */
export function makeHidingEndpoint() {
  const far = farChain()
  let isHidden: ((log: RawLog) => boolean) | undefined
  let isForEver = false
  let hiddenCount = 0

  async function request(real: Outbound, asked: OutboundRequest): Promise<OutboundOutcome> {
    const outcome = await real.request(asked)
    if (!isHidden || outcome.kind === 'error' || !asked.body?.includes('eth_getLogs')) return outcome
    const calls = [JSON.parse(asked.body)].flat() as { id: unknown; method: string }[]
    const logCalls = new Set(calls.flatMap(({ id, method }) => (method === 'eth_getLogs' ? [id] : [])))
    type Reply = { id: unknown; result?: unknown }
    const responses = [JSON.parse(Buffer.from(outcome.body).toString())].flat() as Reply[]
    const changed = responses.map((response) => {
      if (!logCalls.has(response.id) || !Array.isArray(response.result)) return response
      const left = (response.result as RawLog[]).filter((log) => !isHidden?.(log))
      if (left.length === response.result.length) return response
      hiddenCount += 1
      if (!isForEver) isHidden = undefined
      return { ...response, result: left }
    })
    const body = JSON.stringify(Array.isArray(JSON.parse(asked.body)) ? changed : changed[0])
    return { ...outcome, body: Buffer.from(body) }
  }

  return {
    outbound: (real: Outbound) => far.over({ request: (asked) => request(real, asked) }),
    far,
    /** Hides these logs from every list or, with `once`, from the next list that contains one. */
    hide(hidden: (log: RawLog) => boolean, times: 'once' | 'for ever' = 'once') {
      isHidden = hidden
      isForEver = times === 'for ever'
    },
    get hiddenCount() {
      return hiddenCount
    },
  }
}
