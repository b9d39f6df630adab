import { toQuantity } from '../../src/chain/rpc/rpc.ts'
import type { Outbound, OutboundOutcome } from '../../src/platform/outbound/outbound.ts'
import type { ChainModel, ModelBlock } from './chain-model.ts'
import { openModelOutbound, type ReadableChain } from './model-outbound.ts'
import type { Scheduler } from './scheduler.ts'

/**
 * How an RPC endpoint behaves: `behind` knows a few blocks less, `short` leaves out logs, `deaf` takes
 * transactions and loses the response. With `ahead`, a block arrives while the endpoint reads balances, and
 * the balances are those after it.
 */
export type NodeMood = 'well' | 'away' | 'limited' | 'behind' | 'short' | 'deaf' | 'ahead'

export const nodeMoods: readonly NodeMood[] = ['well', 'away', 'limited', 'behind', 'short', 'deaf']

export type Node = { readonly url: string; mood: NodeMood }

type Codes = Parameters<typeof openModelOutbound>[1]

/** Answers for all endpoints from one chain, each in its mood, with a gate before each request. */
export function openNodes(
  model: ChainModel,
  { nodes, codes, scheduler }: { nodes: readonly Node[]; codes: Codes; scheduler: Scheduler },
  record: (line: string) => void,
): Outbound {
  const whole = openModelOutbound(model, codes)
  return {
    async request(request) {
      const node = nodes.find(({ url }) => request.url.startsWith(url))
      if (!node) throw new Error(`no endpoint has the URL ${request.url}`)
      const body = request.body ?? ''
      await scheduler.pass(`rpc ${methodsIn(body)}`)
      const outcome = await answer(node.mood, model, whole, { ...request, body }, codes)
      record(
        `rpc ${node.url} ${node.mood} ${body} ${outcome.kind === 'response' ? outcome.status : outcome.error}`,
      )
      return outcome
    },
  }
}

async function answer(
  mood: NodeMood,
  model: ChainModel,
  whole: Outbound,
  request: Parameters<Outbound['request']>[0] & { body: string },
  codes: Codes,
): Promise<OutboundOutcome> {
  const isAboutMempool = /eth_sendRawTransaction|"pending"/.test(request.body)
  switch (mood) {
    case 'away':
      return { kind: 'error', error: 'network', detail: 'the endpoint is away' }
    case 'limited':
      return { kind: 'response', status: 429, headers: {}, body: new TextEncoder().encode('slow down') }
    case 'behind':
      return openModelOutbound(behind(model, 2), codes).request(request)
    case 'ahead':
      return (isAboutNewest(model, request.body) ? openModelOutbound(ahead(model), codes) : whole).request(
        request,
      )
    case 'short':
      return withoutLogs(await whole.request(request))
    case 'deaf': {
      const outcome = await whole.request(request)
      return isAboutMempool ? { kind: 'error', error: 'timeout', detail: 'the response is lost' } : outcome
    }
    default:
      return whole.request(request)
  }
}

/** The same chain without its newest blocks. The mempool is the same. */
function behind(model: ChainModel, count: number): ReadableChain {
  return withBlocks(model, model.blocks.slice(0, Math.max(1, model.blocks.length - count)))
}

/** Mines a block, and returns the chain before it with the state after it. */
function ahead(model: ChainModel): ReadableChain {
  const { head } = model
  model.mine()
  return withBlocks(model, [...model.blocks.slice(0, -2), { ...head, state: model.head.state }])
}

/** Whether the next block has transactions, and the request reads a state by the number of the newest block. */
function isAboutNewest(model: ChainModel, body: string): boolean {
  return (
    model.hasWaiting && /eth_getBalance|eth_call/.test(body) && body.includes(toQuantity(model.head.number))
  )
}

function withBlocks(model: ChainModel, blocks: readonly ModelBlock[]): ReadableChain {
  const back = (depth: number) => blocks[Math.max(0, blocks.length - 1 - depth)] as ModelBlock
  return {
    options: model.options,
    blocks: [...blocks],
    head: back(0),
    safe: back(model.options.slotsInAnEpoch),
    final: back(2 * model.options.slotsInAnEpoch),
    call: (call, block = back(0)) => model.call(call, block),
    send: (transaction) => model.send(transaction),
    pendingNonce: (account) => model.pendingNonce(account),
  }
}

/** Empties each list of logs, as an endpoint with a broken index does. */
function withoutLogs(outcome: OutboundOutcome): OutboundOutcome {
  if (outcome.kind !== 'response') return outcome
  const responses = JSON.parse(new TextDecoder().decode(outcome.body)) as { result?: unknown }[]
  const emptied = responses.map((each) => (isLogs(each.result) ? { ...each, result: [] } : each))
  return { ...outcome, body: new TextEncoder().encode(JSON.stringify(emptied)) }
}

function isLogs(result: unknown): boolean {
  return Array.isArray(result) && result.every((each) => typeof each === 'object' && 'logIndex' in each)
}

function methodsIn(body: string): string {
  return [...new Set(body.match(/eth_\w+/g))].join(' ')
}
