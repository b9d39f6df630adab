import { build } from 'esbuild'
import type { BrowserContext, WebSocketRoute } from 'playwright-core'
import { createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { TestBrowser } from './browser.ts'

const home = 'https://wallet.example/'

/** Runs in the wallet's page: accepts every pairing and passes requests to the test's `sign`. */
const script = `
import { SignClient } from '@walletconnect/sign-client'
globalThis.start = async (account) => {
  const metadata = { name: 'Phone', description: '', url: 'https://wallet.example', icons: [] }
  const client = await SignClient.init({ projectId: 'test-project', logger: 'silent', telemetryEnabled: false, metadata })
  client.core.verify.register = async () => ''
  client.core.verify.resolve = async () => undefined
  client.on('session_proposal', async ({ id, params }) => {
    const asked = { ...params.requiredNamespaces, ...params.optionalNamespaces }.eip155
    const accounts = asked.chains.map((chain) => chain + ':' + account)
    const namespaces = { eip155: { accounts, methods: asked.methods, events: asked.events } }
    await client.approve({ id, namespaces })
  })
  client.on('session_request', async ({ id, topic, params: { request } }) => {
    const answer = await globalThis.sign(request)
    await client.respond({ topic, response: { id, jsonrpc: '2.0', ...answer } })
  })
  globalThis.pair = (uri) => client.pair({ uri })
}`

/** Starts a wallet in its own browser context. The wallet pairs using the text of a QR code. */
export async function startPhoneWallet(
  browser: TestBrowser,
  relay: PairingRelay,
  { privateKey, rpcUrl }: { privateKey: Hex; rpcUrl: string },
) {
  const context = await browser.newContext()
  await relay.serve(context)
  const account = privateKeyToAccount(privateKey)
  const client = createWalletClient({ account, transport: http(rpcUrl) })
  const asked: string[] = []
  let isRefusing = false
  type Request = { method: string; params: (Record<string, Hex> | string)[] }
  await context.exposeFunction('sign', async ({ method, params }: Request) => {
    if (method === 'eth_signTypedData_v4')
      return { result: await account.signTypedData(JSON.parse(String(params[1]))) }
    if (method !== 'eth_sendTransaction') return { error: { code: 4200, message: 'not supported' } }
    asked.push(method)
    if (isRefusing) return { error: { code: 5000, message: 'User rejected.' } }
    const { to, data = '0x', value = '0x0' } = (params[0] ?? {}) as Record<string, Hex>
    const sent = { to: to ?? null, data, value: BigInt(value), chain: null }
    return { result: await client.sendTransaction(sent) }
  })
  const page = await context.newPage()
  const body = '<title>Wallet</title>'
  await page.route(home, (route) => route.fulfill({ contentType: 'text/html', body }))
  await page.goto(home)
  const bundled = await build({
    stdin: { contents: script, resolveDir: import.meta.dirname },
    bundle: true,
    format: 'iife',
    define: { global: 'globalThis' },
    write: false,
  })
  await page.addScriptTag({ content: bundled.outputFiles[0]?.text ?? '' })
  await page.evaluate(`start('${account.address}')`)
  return {
    address: account.address,
    asked,
    refuse() {
      isRefusing = true
    },
    pair: (uri: string) => page.evaluate(`pair(${JSON.stringify(uri)}).then(() => {})`),
    close: () => context.close(),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the parameters depend on the method
type Params = Readonly<Record<string, any>>
type Message = { readonly topic: string; readonly message: string; readonly tag: number }

/**
 * A substitute for WalletConnect's relay. It forwards encrypted messages to the subscribers of their topic
 * and keeps messages for later subscribers.
 */
export class PairingRelay {
  readonly urls: string[] = []
  readonly #subscribers = new Map<WebSocketRoute, Set<string>>()
  readonly #kept: { readonly from: WebSocketRoute; readonly message: Message }[] = []
  #count = 0

  async serve(context: BrowserContext): Promise<void> {
    await context.routeWebSocket(/^wss:\/\/relay\.walletconnect\./, (socket) => {
      this.urls.push(socket.url())
      this.#subscribers.set(socket, new Set())
      socket.onMessage((text) => {
        const { id, method, params = {} } = JSON.parse(String(text))
        if (method === undefined) return
        socket.send(JSON.stringify({ id, jsonrpc: '2.0', result: this.#response(socket, method, params) }))
      })
      socket.onClose(() => this.#subscribers.delete(socket))
    })
  }

  #response(socket: WebSocketRoute, method: string, params: Params): unknown {
    const { topic, topics, message, tag, pairingTopic, sessionTopic } = params
    switch (method) {
      case 'irn_subscribe':
        return this.#subscribe(socket, topic)
      case 'irn_batchSubscribe':
        return topics.map((each: string) => this.#subscribe(socket, each))
      case 'irn_publish':
        return this.#publish(socket, { topic, message, tag })
      case 'wc_proposeSession':
        this.#subscribe(socket, pairingTopic)
        return this.#publish(socket, { topic: pairingTopic, message: params.sessionProposal, tag: 1100 })
      case 'wc_approveSession': {
        const { sessionProposalResponse: response, sessionSettlementRequest: settlement } = params
        this.#subscribe(socket, sessionTopic)
        this.#publish(socket, { topic: pairingTopic, message: response, tag: 1101 })
        return this.#publish(socket, { topic: sessionTopic, message: settlement, tag: 1102 })
      }
      case 'irn_fetchMessages':
      case 'irn_batchFetchMessages':
        return { messages: [], hasMore: false }
      default:
        return true
    }
  }

  #subscribe(socket: WebSocketRoute, topic: string): string {
    const topics = this.#subscribers.get(socket)
    if (!topics || topics.has(topic)) return topic
    topics.add(topic)
    for (const { from, message } of this.#kept)
      if (message.topic === topic && from !== socket) this.#deliver(socket, message)
    return topic
  }

  #publish(from: WebSocketRoute, message: Message): true {
    this.#kept.push({ from, message })
    for (const [socket, topics] of this.#subscribers)
      if (socket !== from && topics.has(message.topic)) this.#deliver(socket, message)
    return true
  }

  #deliver(socket: WebSocketRoute, message: Message): void {
    const id = Date.now() * 1_000 + ++this.#count
    const params = { id: message.topic, data: { ...message, publishedAt: Date.now() } }
    socket.send(JSON.stringify({ id, jsonrpc: '2.0', method: 'irn_subscription', params }))
  }
}
