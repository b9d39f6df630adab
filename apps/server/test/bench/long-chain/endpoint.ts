import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AskedCall, answerCall, type EndpointLimits } from './answer-call.ts'
import { beginLongChain, type ChainShape, type LongChain, type Stretch } from './long-chain.ts'

/** What the program is told by a POST to a path of the same name; each is answered with {@link EndpointState}. */
export type EndpointOrders = {
  /** Puts a chain on top of the newest block of the one behind it. */
  begin: { readonly behind: string; readonly shape: ChainShape; readonly limits: EndpointLimits }
  extend: Stretch
  /** Sets how long each answer takes beyond the work for it, and begins to count and to keep requests anew. */
  reset: { readonly awayMs: number }
  look: Record<never, never>
}

/** What has been made and asked. */
export type EndpointState = {
  readonly head: number
  /** In Unix seconds. */
  readonly headAt: number
  readonly requestCount: number
  readonly answeredBytes: number
  /** Bodies of the requests, in their order, in the answer to `look` alone. */
  readonly bodies: readonly string[]
}

type Asked = AskedCall & { readonly id: unknown }

// A program of its own: a JSON-RPC endpoint whose work is not counted as its caller's. It says its port.
let chain: LongChain | undefined
let limits: EndpointLimits = { logRange: 0, logCount: 0 }
let awayMs = 0
let answeredBytes = 0
let bodies: string[] = []

const server = createServer(async (request, response) => {
  const body = await readBody(request)
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const order = pathname.slice(1)
  const text = order === '' ? await answer(searchParams.get('behind') ?? '', body) : await obey(order, body)
  const send = () => response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  // The way to a provider and back, which no condition of ours can stand for.
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
    answeredBytes = 0
    bodies = []
  }
  const state: EndpointState = {
    head: chain?.head ?? 0,
    headAt: chain?.headAt ?? 0,
    requestCount: bodies.length,
    answeredBytes,
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

async function answer(behind: string, body: string): Promise<string> {
  const made = chain
  if (!made) return ask(behind, body)
  bodies.push(body)
  const said: Asked | readonly Asked[] = JSON.parse(body)
  const calls = [said].flat()
  const texts = calls.map((call) => answerCall(made, limits, call))
  const left = calls.filter((_, i) => texts[i] === undefined)
  // It has no state of these blocks, but what it has is what they have.
  const asked = left.map((call) => ({ ...call, jsonrpc: '2.0', params: call.params.map(toKnownTag) }))
  const others: { id: unknown }[] =
    asked.length > 0 ? JSON.parse(await ask(behind, JSON.stringify(asked))) : []
  const answers = calls.map(({ id }, i) => {
    const text = texts[i]
    if (text === undefined) return JSON.stringify(others.find((other) => other.id === id))
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${text}}`
  })
  const text = Array.isArray(said) ? `[${answers.join()}]` : (answers[0] ?? '')
  answeredBytes += text.length
  return text
}

function toKnownTag(param: unknown, i: number): unknown {
  const isHigh = typeof param === 'string' && /^0x[0-9a-f]{1,8}$/.test(param) && i > 0
  return isHigh && Number(param) > (chain?.base.height ?? 0) ? 'latest' : param
}

async function ask(url: string, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body })).text()
}
