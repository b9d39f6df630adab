import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beginLongChain, type ChainShape, type LongChain, type MadeLog, type Stretch } from './long-chain.ts'

export type EndpointLimits = {
  /** Maximum number of blocks per `eth_getLogs` request. */
  readonly logRange: number
  /** Maximum number of logs in one response. */
  readonly logCount: number
}

/**
 * Bodies of the requests that control the endpoint. Each is sent as a POST to the path with its name. The
 * response is {@link EndpointState}.
 */
export type EndpointOrders = {
  /** Starts a chain on top of another chain's newest block. */
  begin: { readonly behind: string; readonly shape: ChainShape; readonly limits: EndpointLimits }
  extend: Stretch
  /** Sets the delay of each response and clears the recorded requests. */
  reset: { readonly awayMs: number }
  look: Record<never, never>
}

export type EndpointState = {
  readonly head: number
  /** Time of the head in Unix seconds. */
  readonly headAt: number
  readonly requestCount: number
  readonly responseBytes: number
  /** Request bodies in order. Only the response to `look` contains them. */
  readonly bodies: readonly string[]
}

type Asked = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] }

// A JSON-RPC endpoint in its own process, so that its work does not count as the caller's. Sends its port to
// the parent.
let chain: LongChain | undefined
let limits: EndpointLimits = { logRange: 0, logCount: 0 }
let awayMs = 0
let responseBytes = 0
let bodies: string[] = []
/** Blocks from the head to the safe and the final block, as on an L2 with the finality of its L1. */
const safeBelow = 100
const finalBelow = 600

const server = createServer(async (request, response) => {
  const body = await readBody(request)
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const order = pathname.slice(1)
  const text = order === '' ? await respond(searchParams.get('behind') ?? '', body) : await obey(order, body)
  const send = () => response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  if (order === '' && awayMs > 0) setTimeout(send, awayMs)
  else send()
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

async function obey(order: string, body: string): Promise<string> {
  const said = JSON.parse(body)
  if (order === 'begin') await begin(said)
  if (order === 'extend') chain?.extend(said)
  if (order === 'reset') {
    awayMs = said.awayMs
    responseBytes = 0
    bodies = []
  }
  const state: EndpointState = {
    head: chain?.head ?? 0,
    headAt: chain?.headAt ?? 0,
    requestCount: bodies.length,
    responseBytes,
    bodies: order === 'look' ? bodies : [],
  }
  return JSON.stringify(state)
}

async function begin(order: EndpointOrders['begin']): Promise<void> {
  const call = { jsonrpc: '2.0', id: 0, method: 'eth_getBlockByNumber', params: ['latest', false] }
  const { number, hash, timestamp } = JSON.parse(await ask(order.behind, JSON.stringify(call))).result
  chain = beginLongChain({ height: Number(number), hash, at: Number(timestamp) }, order.shape)
  limits = order.limits
}

async function respond(behind: string, body: string): Promise<string> {
  const made = chain
  if (!made) return ask(behind, body)
  bodies.push(body)
  const said: Asked | readonly Asked[] = JSON.parse(body)
  const calls = [said].flat()
  const texts = calls.map((call) => respondToCall(made, call))
  const left = calls.filter((_, i) => texts[i] === undefined)
  // The chain behind has no state for these blocks, so the request reads its newest state instead.
  const asked = left.map((call) => ({
    ...call,
    jsonrpc: '2.0',
    params: call.params.map((param, i) => (isMadeHeight(made, param) && i > 0 ? 'latest' : param)),
  }))
  const others: { id: unknown }[] =
    asked.length > 0 ? JSON.parse(await ask(behind, JSON.stringify(asked))) : []
  const responses = calls.map(({ id }, i) => {
    const text = texts[i]
    if (text === undefined) return JSON.stringify(others.find((other) => other.id === id))
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${text}}`
  })
  const text = Array.isArray(said) ? `[${responses.join()}]` : (responses[0] ?? '')
  responseBytes += text.length
  return text
}

function isMadeHeight({ base }: LongChain, param: unknown): boolean {
  return typeof param === 'string' && /^0x[0-9a-f]{1,8}$/.test(param) && Number(param) > base.height
}

async function ask(url: string, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body })).text()
}

/** Returns the members of a response except the id, or `undefined` if the chain behind must respond. */
function respondToCall(made: LongChain, { method, params }: Asked): string | undefined {
  if (method === 'eth_getBlockByNumber') {
    const height = heightOf(made, params[0])
    return height <= made.base.height ? undefined : result(made.blockText(height, params[1] === true))
  }
  if (method === 'eth_blockNumber') return result(`"0x${made.head.toString(16)}"`)
  if (method === 'eth_getLogs') return respondToLogs(made, params[0] as LogFilter)
  if (method === 'eth_getTransactionReceipt') {
    const text = made.receiptText(String(params[0]))
    return text && result(text)
  }
  if (method !== 'eth_getBalance') return undefined
  const balance = made.balanceOf(String(params[0]), heightOf(made, params[1]))
  return balance === 0n ? undefined : result(`"0x${balance.toString(16)}"`)
}

function heightOf({ head }: LongChain, tag: unknown): number {
  if (tag === 'latest' || tag === 'pending' || tag === undefined) return head
  if (tag === 'safe') return head - safeBelow
  return tag === 'finalized' ? head - finalBelow : Number(tag)
}

type LogFilter = {
  readonly fromBlock: string
  readonly toBlock: string
  readonly address?: string | readonly string[]
  readonly topics?: readonly (string | readonly string[] | null)[]
}

function respondToLogs(made: LongChain, filter: LogFilter): string {
  const [from, to] = [heightOf(made, filter.fromBlock), heightOf(made, filter.toBlock)]
  if (to - from >= limits.logRange)
    return failure(-32602, `query exceeds max block range of ${limits.logRange}`)
  const fits = fitting(filter)
  const found = made
    .loggedHeights(from, to)
    .flatMap((height) => made.logsIn(height).filter(fits))
    .map(({ text }) => text)
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
