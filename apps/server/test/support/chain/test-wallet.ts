import type { BrowserContext } from 'playwright-core'
import { createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

export type TestWalletOptions = {
  readonly name?: string
  readonly privateKey: Hex
  readonly rpcUrl: string
  readonly chainId?: number
  readonly knows?: readonly number[]
  /**
   * `eip6963` announces the wallet, `late` announces it after a second, `legacy` only sets `window.ethereum`.
   */
  readonly kind?: 'eip6963' | 'late' | 'legacy'
  /** Whether the wallet sends batches of calls on the first chain (EIP-5792). */
  readonly batches?: boolean
  /** Whether the wallet signs typed data. Default: `true`. */
  readonly signs?: boolean
  readonly icon?: string
}

type Call = { readonly method: string; readonly params?: readonly unknown[] }
type WalletResponse = { readonly result?: unknown; readonly error?: { code: number; message: string } }

const rejected = { code: 4001, message: 'User rejected the request.' }
const roundIcon =
  'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCA4IDgiPjxjaXJjbGUgY3g9IjQiIGN5PSI0IiByPSI0IiBmaWxsPSIjYzYzIi8+PC9zdmc+'
let walletCount = 0

/** A wallet in the page, like a browser extension's, whose account signs for a real chain. */
export class TestWallet {
  readonly calls: Call[] = []
  readonly name: string
  address: Hex
  #options: TestWalletOptions
  readonly #id = `wallet${++walletCount}`
  readonly #errors = new Map<string, { code: number; message: string }>()
  readonly #held = new Map<string, Promise<void>>()
  readonly #lost = new Set<string>()
  readonly #batches = new Map<string, readonly Hex[]>()
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

  async install(context: BrowserContext): Promise<void> {
    this.#context = context
    await context.exposeBinding(`__${this.#id}`, (_source, call: Call) => this.#response(call))
    const { name } = this
    const { kind = 'eip6963', icon = roundIcon } = this.#options
    await context.addInitScript(injectWallet, { id: this.#id, name, kind, icon })
  }

  refuse(method: string, error = rejected): void {
    this.#errors.set(method, error)
  }

  accept(method: string): void {
    this.#errors.delete(method)
  }

  /** Delays the response to `method` until the returned function is called. */
  hold(method: string): () => void {
    let release = () => {}
    this.#held.set(method, new Promise((resolve) => (release = resolve)))
    return () => {
      this.#held.delete(method)
      release()
    }
  }

  /** Never responds to the next request for `method`, as if the user closed the wallet's window. */
  lose(method: string): void {
    this.#lost.add(method)
  }

  sendOther(): Promise<Hex> {
    return this.#send({ to: this.address })
  }

  speedUp(hash: Hex): Promise<Hex> {
    return this.#replace(hash, {})
  }

  cancel(hash: Hex): Promise<Hex> {
    return this.#replace(hash, { to: this.address, input: '0x', value: '0x0' })
  }

  count(method: string): number {
    return this.calls.filter((call) => call.method === method).length
  }

  async moveTo(chainId: number): Promise<void> {
    this.#chainId = chainId
    for (const page of this.#context?.pages() ?? [])
      await page.evaluate(`dispatchEvent(new Event('${this.#id}:chainChanged'))`)
  }

  async showAccount(privateKey: Hex): Promise<void> {
    this.#options = { ...this.#options, privateKey }
    this.address = privateKeyToAccount(privateKey).address
    const event = `new CustomEvent('${this.#id}:accountsChanged', { detail: ['${this.address}'] })`
    for (const page of this.#context?.pages() ?? []) await page.evaluate(`dispatchEvent(${event})`)
  }

  async #response(call: Call): Promise<WalletResponse> {
    this.calls.push(call)
    if (this.#lost.delete(call.method)) return new Promise(() => {})
    await this.#held.get(call.method)
    const reason = this.#errors.get(call.method)
    if (reason) return { error: reason }
    try {
      return await this.#serve(call)
    } catch (error) {
      return { error: { code: -32603, message: (error as Error).message } }
    }
  }

  async #serve({ method, params = [] }: Call): Promise<WalletResponse> {
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
        if (this.#options.signs === false) return unsupported(method)
        return { result: await this.#sign(String(params[1])) }
      case 'wallet_getCapabilities':
        if (!this.#options.batches) return unsupported(method)
        return { result: { '0x7a69': { atomic: { status: 'supported' } } } }
      case 'wallet_sendCalls':
        if (!this.#options.batches) return unsupported(method)
        return { result: { id: await this.#sendBatch(params[0] as Batch) } }
      case 'wallet_getCallsStatus':
        return { result: await this.#readBatch(String(params[0])) }
      default:
        return { result: await this.#rpc(method, params) }
    }
  }

  get #account() {
    return privateKeyToAccount(this.#options.privateKey)
  }

  #sign(typedData: string): Promise<Hex> {
    const { domain, types, primaryType, message } = JSON.parse(typedData)
    const { EIP712Domain: _, ...own } = types
    return this.#account.signTypedData({
      domain,
      types: own,
      primaryType,
      message,
    })
  }

  #send(transaction: Record<string, string>, more: { nonce?: number; tip?: bigint } = {}): Promise<Hex> {
    const client = createWalletClient({ account: this.#account, transport: http(this.#options.rpcUrl) })
    const tip = more.tip ?? 1_000_000_000n
    return client.sendTransaction({
      to: transaction.to as Hex,
      data: (transaction.data ?? '0x') as Hex,
      value: BigInt(transaction.value ?? 0),
      // A fixed limit skips the estimate, so that a transaction that reverts is sent too.
      gas: 500_000n,
      maxFeePerGas: 20_000_000_000n + tip,
      maxPriorityFeePerGas: tip,
      ...(more.nonce !== undefined && { nonce: more.nonce }),
      chain: null,
    })
  }

  async #replace(hash: Hex, change: Record<string, string>): Promise<Hex> {
    const old = (await this.#rpc('eth_getTransactionByHash', [hash])) as Record<string, string>
    const { to = '', input = '0x', value = '0x0' } = { ...old, ...change }
    return this.#send({ to, data: input, value }, { nonce: Number(old.nonce), tip: 5_000_000_000n })
  }

  async #sendBatch({ calls }: Batch): Promise<string> {
    const hashes: Hex[] = []
    for (const call of calls) hashes.push(await this.#send(call))
    const id = `0x${this.#batches.size.toString(16).padStart(64, '0')}`
    this.#batches.set(id, hashes)
    return id
  }

  async #readBatch(id: string): Promise<unknown> {
    const hashes = this.#batches.get(id) ?? []
    const receipts = await Promise.all(hashes.map((hash) => this.#rpc('eth_getTransactionReceipt', [hash])))
    const isOver = receipts.every((receipt) => receipt !== null)
    return { version: '2.0.0', id, status: isOver ? 200 : 100, receipts: receipts.slice(-1).filter(Boolean) }
  }

  async #rpc(method: string, params: readonly unknown[]): Promise<unknown> {
    const response = await fetch(this.#options.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const reply = (await response.json()) as { result?: unknown; error?: { message: string } }
    if (reply.error) throw new Error(reply.error.message)
    return reply.result
  }
}

type Batch = { readonly calls: readonly Record<string, string>[] }

function unsupported(method: string): WalletResponse {
  return { error: { code: 4200, message: `${method} is not supported` } }
}

type Injected = { readonly id: string; readonly name: string; readonly kind: string; readonly icon: string }

/** Runs in the page, before its own scripts. */
function injectWallet({ id, name, kind, icon }: Injected): void {
  const page = globalThis as unknown as Record<string, (call: unknown) => Promise<WalletResponse>> &
    EventTarget
  const heard = new Map<(detail: unknown) => void, (event: Event) => void>()
  const provider = {
    async request(call: unknown) {
      const reply = await page[`__${id}`]?.(call)
      if (reply?.error) throw Object.assign(new Error(reply.error.message), { code: reply.error.code })
      return reply?.result ?? null
    },
    on(event: string, listener: (detail: unknown) => void) {
      const hear = (reported: Event) => listener((reported as CustomEvent<unknown>).detail)
      heard.set(listener, hear)
      page.addEventListener(`${id}:${event}`, hear)
    },
    removeListener(event: string, listener: (detail: unknown) => void) {
      const hear = heard.get(listener)
      if (hear) page.removeEventListener(`${id}:${event}`, hear)
    },
  }
  if (kind === 'legacy') {
    Object.assign(page, { ethereum: provider })
    return
  }
  const detail = Object.freeze({ info: { uuid: id, name, icon, rdns: `test.${id}` }, provider })
  const announce = () => page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  if (kind === 'late') setTimeout(announce, 1_000)
  else {
    announce()
    page.addEventListener('eip6963:requestProvider', announce)
  }
}
