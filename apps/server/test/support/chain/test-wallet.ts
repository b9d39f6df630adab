import type { BrowserContext } from 'playwright-core'
import { createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** How a wallet of a test is known and where it stands. */
export type TestWalletOptions = {
  readonly name?: string
  readonly privateKey: Hex
  readonly rpcUrl: string
  /** The chain it is on at first; the test chain's own where absent. */
  readonly chainId?: number
  /** Chains it knows beside the one it is on. */
  readonly knows?: readonly number[]
  /** `eip6963` announces itself, `late` does so after a second, `legacy` is `window.ethereum` and says nothing. */
  readonly kind?: 'eip6963' | 'late' | 'legacy'
}

type Call = { readonly method: string; readonly params?: readonly unknown[] }
type Answer = { readonly result?: unknown; readonly error?: { code: number; message: string } }

const rejected = { code: 4001, message: 'User rejected the request.' }
let walletCount = 0

/**
 * A wallet in the page as a browser extension would put it there, with a real account that signs for a
 * real chain. It can refuse, keep quiet, stand on a wrong chain and not know a chain.
 */
export class TestWallet {
  /** Everything the page asked of it, in order. */
  readonly calls: Call[] = []
  readonly name: string
  readonly address: Hex
  readonly #options: TestWalletOptions
  readonly #id = `wallet${++walletCount}`
  readonly #faults = new Map<string, { code: number; message: string }>()
  readonly #held = new Map<string, Promise<void>>()
  readonly #known: Set<number>
  #chainId: number
  #context: BrowserContext | undefined

  constructor(options: TestWalletOptions) {
    this.#options = options
    this.name = options.name ?? 'Test Wallet'
    this.address = privateKeyToAccount(options.privateKey).address
    this.#chainId = options.chainId ?? 31337
    this.#known = new Set([this.#chainId, ...(options.knows ?? [])])
  }

  /** Puts the wallet into every page of the context. */
  async install(context: BrowserContext): Promise<void> {
    this.#context = context
    await context.exposeBinding(`__${this.#id}`, (_source, call: Call) => this.#answer(call))
    const { name } = this
    await context.addInitScript(injectWallet, { id: this.#id, name, kind: this.#options.kind ?? 'eip6963' })
  }

  /** Answers `method` with an error from now on; 4001 where none is given. */
  refuse(method: string, error = rejected): void {
    this.#faults.set(method, error)
  }

  /** Answers `method` again. */
  accept(method: string): void {
    this.#faults.delete(method)
  }

  /** Keeps `method` without an answer until the returned function is called. */
  hold(method: string): () => void {
    let release = () => {}
    this.#held.set(method, new Promise((resolve) => (release = resolve)))
    return () => {
      this.#held.delete(method)
      release()
    }
  }

  /** How often the page asked for `method`. */
  count(method: string): number {
    return this.calls.filter((call) => call.method === method).length
  }

  /** Changes the network from inside the wallet, as its user would. */
  async moveTo(chainId: number): Promise<void> {
    this.#chainId = chainId
    for (const page of this.#context?.pages() ?? [])
      await page.evaluate(`dispatchEvent(new Event('${this.#id}:chainChanged'))`)
  }

  async #answer(call: Call): Promise<Answer> {
    this.calls.push(call)
    await this.#held.get(call.method)
    const fault = this.#faults.get(call.method)
    if (fault) return { error: fault }
    try {
      return await this.#serve(call)
    } catch (error) {
      return { error: { code: -32603, message: (error as Error).message } }
    }
  }

  async #serve({ method, params = [] }: Call): Promise<Answer> {
    const [first] = params as [Record<string, string> | undefined]
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return { result: [this.address] }
      case 'eth_chainId':
        return { result: `0x${this.#chainId.toString(16)}` }
      case 'wallet_switchEthereumChain': {
        const chainId = Number(first?.chainId)
        if (!this.#known.has(chainId)) return { error: { code: 4902, message: 'Unrecognized chain ID' } }
        await this.moveTo(chainId)
        return { result: null }
      }
      case 'wallet_addEthereumChain':
        this.#known.add(Number(first?.chainId))
        await this.moveTo(Number(first?.chainId))
        return { result: null }
      case 'eth_sendTransaction':
        return { result: await this.#send(first ?? {}) }
      case 'eth_signTypedData_v4':
        return { result: await this.#sign(String(params[1])) }
      default:
        return { result: await this.#rpc(method, params) }
    }
  }

  #sign(typedData: string): Promise<Hex> {
    const { domain, types, primaryType, message } = JSON.parse(typedData)
    const { EIP712Domain: _, ...own } = types
    return privateKeyToAccount(this.#options.privateKey).signTypedData({
      domain,
      types: own,
      primaryType,
      message,
    })
  }

  #send(transaction: Record<string, string>): Promise<Hex> {
    const client = createWalletClient({
      account: privateKeyToAccount(this.#options.privateKey),
      transport: http(this.#options.rpcUrl),
    })
    return client.sendTransaction({
      to: transaction.to as Hex,
      data: (transaction.data ?? '0x') as Hex,
      value: BigInt(transaction.value ?? 0),
      // Set, so that a transaction that reverts is sent all the same.
      gas: 500_000n,
      chain: null,
    })
  }

  async #rpc(method: string, params: readonly unknown[]): Promise<unknown> {
    const response = await fetch(this.#options.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const answer = (await response.json()) as { result?: unknown; error?: { message: string } }
    if (answer.error) throw new Error(answer.error.message)
    return answer.result
  }
}

/** Runs in the page, before its own scripts. */
function injectWallet({ id, name, kind }: { id: string; name: string; kind: string }): void {
  const page = globalThis as unknown as Record<string, (call: unknown) => Promise<Answer>> & EventTarget
  const provider = {
    async request(call: unknown) {
      const answer = await page[`__${id}`]?.(call)
      if (answer?.error) throw Object.assign(new Error(answer.error.message), { code: answer.error.code })
      return answer?.result ?? null
    },
    on: (event: string, listener: () => void) => page.addEventListener(`${id}:${event}`, listener),
    removeListener: (event: string, listener: () => void) =>
      page.removeEventListener(`${id}:${event}`, listener),
  }
  if (kind === 'legacy') {
    Object.assign(page, { ethereum: provider })
    return
  }
  const icon =
    'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCA4IDgiPjxjaXJjbGUgY3g9IjQiIGN5PSI0IiByPSI0IiBmaWxsPSIjYzYzIi8+PC9zdmc+'
  const detail = Object.freeze({ info: { uuid: id, name, icon, rdns: `test.${id}` }, provider })
  const announce = () => page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  if (kind === 'late') setTimeout(announce, 1_000)
  else {
    announce()
    page.addEventListener('eip6963:requestProvider', announce)
  }
}
