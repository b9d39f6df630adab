import type { BrowserContext, WebSocketRoute } from 'playwright-core'

type Request = { readonly id: number | string; readonly method?: string; readonly params?: Params }
type Params = {
  readonly topic?: string
  readonly topics?: readonly string[]
  readonly message?: string
  readonly tag?: number
  readonly pairingTopic?: string
  readonly sessionTopic?: string
  readonly sessionProposal?: string
  readonly sessionProposalResponse?: string
  readonly sessionSettlementRequest?: string
}
type Message = { readonly topic: string; readonly message: string; readonly tag: number }

/**
 * WalletConnect's relay as far as a checkout and a wallet need it, in the place of the real one: it hands messages
 * it cannot read to those who subscribed to their topic, and keeps them for who comes later.
 */
export class PairingRelay {
  /** The addresses that were connected to. */
  readonly urls: string[] = []
  readonly #subscribers = new Map<WebSocketRoute, Set<string>>()
  readonly #kept: { readonly from: WebSocketRoute; readonly message: Message }[] = []
  #count = 0

  /** Takes the place of the relay for every page of a browser context. */
  async serve(context: BrowserContext): Promise<void> {
    await context.routeWebSocket(/^wss:\/\/relay\.walletconnect\./, (socket) => {
      this.urls.push(socket.url())
      this.#subscribers.set(socket, new Set())
      socket.onMessage((text) => this.#answer(socket, JSON.parse(String(text)) as Request))
      socket.onClose(() => this.#subscribers.delete(socket))
    })
  }

  #answer(socket: WebSocketRoute, { id, method, params = {} }: Request): void {
    if (method === undefined) return
    socket.send(JSON.stringify({ id, jsonrpc: '2.0', result: this.#serve(socket, method, params) }))
  }

  #serve(socket: WebSocketRoute, method: string, params: Params): unknown {
    const { topic = '', topics = [], message = '', tag = 0, pairingTopic = '', sessionTopic = '' } = params
    switch (method) {
      case 'irn_subscribe':
        return this.#subscribe(socket, topic)
      case 'irn_batchSubscribe':
        return topics.map((each) => this.#subscribe(socket, each))
      case 'irn_publish':
        return this.#publish(socket, { topic, message, tag })
      case 'wc_proposeSession':
        this.#subscribe(socket, pairingTopic)
        return this.#publish(socket, {
          topic: pairingTopic,
          message: params.sessionProposal ?? '',
          tag: 1100,
        })
      case 'wc_approveSession':
        this.#subscribe(socket, sessionTopic)
        this.#publish(socket, {
          topic: pairingTopic,
          message: params.sessionProposalResponse ?? '',
          tag: 1101,
        })
        return this.#publish(socket, {
          topic: sessionTopic,
          message: params.sessionSettlementRequest ?? '',
          tag: 1102,
        })
      case 'irn_fetchMessages':
      case 'irn_batchFetchMessages':
        return { messages: [], hasMore: false }
      default:
        return true
    }
  }

  #subscribe(socket: WebSocketRoute, topic: string): string {
    const topics = this.#subscribers.get(socket)
    if (topics && !topics.has(topic)) {
      topics.add(topic)
      for (const { from, message } of this.#kept)
        if (message.topic === topic && from !== socket) this.#deliver(socket, message)
    }
    return topic
  }

  #publish(from: WebSocketRoute, message: Message): true {
    this.#kept.push({ from, message })
    for (const [socket, topics] of this.#subscribers)
      if (socket !== from && topics.has(message.topic)) this.#deliver(socket, message)
    return true
  }

  #deliver(socket: WebSocketRoute, { topic, message, tag }: Message): void {
    const data = { topic, message, publishedAt: Date.now(), tag }
    socket.send(
      JSON.stringify({
        id: Date.now() * 1_000 + ++this.#count,
        jsonrpc: '2.0',
        method: 'irn_subscription',
        params: { id: topic, data },
      }),
    )
  }
}
