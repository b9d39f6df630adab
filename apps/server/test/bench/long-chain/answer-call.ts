import { type LongChain, type MadeLog, quantity } from './long-chain.ts'

/** A JSON-RPC call as it came. */
export type AskedCall = { readonly method: string; readonly params: readonly unknown[] }

/** What an endpoint refuses, as providers do. */
export type EndpointLimits = {
  /** Of blocks in one `eth_getLogs`. */
  readonly logRange: number
  /** Of logs in one answer. */
  readonly logCount: number
}

/** How far below the head blocks are safe and final, in blocks: as on an L2 whose finality is that of its L1. */
const safeBelow = 100
const finalBelow = 600

/** The members of an answer but its id; `undefined` where the chain below has to say it. */
export function answerCall(
  chain: LongChain,
  limits: EndpointLimits,
  { method, params }: AskedCall,
): string | undefined {
  const { base } = chain
  if (method === 'eth_getBlockByNumber') {
    const height = heightOf(chain, params[0])
    return height <= base.height ? undefined : result(chain.blockText(height, params[1] === true))
  }
  if (method === 'eth_blockNumber') return result(`"${quantity(chain.head)}"`)
  if (method === 'eth_getLogs') return answerLogs(chain, limits, params[0] as LogFilter)
  if (method === 'eth_getTransactionReceipt') {
    const text = chain.receiptText(String(params[0]))
    return text && result(text)
  }
  if (method !== 'eth_getBalance') return undefined
  const balance = chain.balanceOf(String(params[0]), heightOf(chain, params[1]))
  return balance === 0n ? undefined : result(`"${quantity(balance)}"`)
}

/** The height that a tag or a number names. */
export function heightOf(chain: LongChain, tag: unknown): number {
  if (tag === 'latest' || tag === 'pending' || tag === undefined) return chain.head
  if (tag === 'safe') return chain.head - safeBelow
  return tag === 'finalized' ? chain.head - finalBelow : Number(tag)
}

type LogFilter = {
  readonly fromBlock: string
  readonly toBlock: string
  readonly address?: string | readonly string[]
  readonly topics?: readonly (string | readonly string[] | null)[]
}

function answerLogs(chain: LongChain, limits: EndpointLimits, filter: LogFilter): string {
  const [from, to] = [heightOf(chain, filter.fromBlock), heightOf(chain, filter.toBlock)]
  // Nothing of what the chain below has logged is asked for again.
  if (to - from >= limits.logRange)
    return failure(-32602, `query exceeds max block range of ${limits.logRange}`)
  const fits = fitting(filter)
  const found: string[] = []
  for (const height of chain.loggedHeights(from, to))
    for (const log of chain.logsIn(height)) if (fits(log)) found.push(log.text)
  if (found.length > limits.logCount)
    return failure(-32005, `query returned more than ${limits.logCount} results`)
  return result(`[${found.join()}]`)
}

function fitting({ address, topics = [] }: LogFilter): (log: MadeLog) => boolean {
  const setOf = (wanted: string | readonly string[]) =>
    new Set([wanted].flat().map((each) => each.toLowerCase()))
  const addresses = address === undefined ? undefined : setOf(address)
  const wanted = topics.map((each) => (each === null ? undefined : setOf(each)))
  return (log) =>
    (addresses === undefined || addresses.has(log.address)) &&
    wanted.every((each, i) => each === undefined || each.has(log.topics[i] ?? ''))
}

function result(text = 'null'): string {
  return `"result":${text}`
}

function failure(code: number, message: string): string {
  return `"error":${JSON.stringify({ code, message })}`
}
