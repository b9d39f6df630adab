import type { Provider } from '@sluice/browser-wallet/provider.ts'
import { SignClient } from '@walletconnect/sign-client'
import { encode } from 'uqr'
import type { ElsewhereOptions } from './wallet-list.ts'

const relayLimitMs = 15_000
const methods = [
  'eth_sendTransaction',
  'eth_signTypedData_v4',
  'wallet_switchEthereumChain',
  'wallet_addEthereumChain',
  'wallet_getCapabilities',
  'wallet_sendCalls',
  'wallet_getCallsStatus',
]

type Client = InstanceType<typeof SignClient>
type Session = Client['session']['values'][number]

let client: Client | undefined

/**
 * Connects to a wallet through WalletConnect's relay. The session ends with the page.
 *
 * @throws if the relay does not respond or the wallet declines.
 */
export async function connect({ projectId, chainId, show }: ElsewhereOptions): Promise<Provider> {
  const namespaces = { eip155: { chains: [`eip155:${chainId}`], methods, events: ['chainChanged'] } }
  const { uri, approval } = await withinLimit(
    openClient(projectId).then((opened) => opened.connect({ optionalNamespaces: namespaces })),
  )
  if (!uri || !client) throw new Error('the relay returned no pairing URI')
  const isTouched = matchMedia('(pointer: coarse)').matches
  show('walletconnect', { uri, app: isTouched ? uri : '' })
  drawCode(uri)
  return providerOf(client, await approval(), chainId)
}

async function openClient(projectId: string): Promise<Client> {
  client ??= await SignClient.init({
    projectId,
    logger: 'silent',
    telemetryEnabled: false,
    storage: memoryStorage(),
    metadata: { name: document.title, description: '', url: location.origin, icons: [] },
  })
  // Prevents WalletConnect's verify iframe in this page.
  client.core.verify.register = async () => ''
  return client
}

function providerOf(opened: Client, session: Session, chainId: number): Provider {
  const chain = `eip155:${chainId}`
  const accounts = (session.namespaces.eip155?.accounts ?? []).filter((each) => each.startsWith(`${chain}:`))
  const allowed = session.namespaces.eip155?.methods ?? []
  const { redirect } = session.peer.metadata
  const provider = {
    appUrl: appUrlOf(redirect?.universal) ?? appUrlOf(redirect?.native),
    isOver: false,
    async request({ method, params = [] }: { method: string; params?: readonly unknown[] }) {
      if (provider.isOver) throw fail(4900, 'the wallet ended the connection')
      if (method === 'eth_requestAccounts') return accounts.map((each) => each.slice(chain.length + 1))
      // Without an account on the offer's chain, the wallet cannot pay.
      if (method === 'eth_chainId' && accounts.length > 0) return `0x${chainId.toString(16)}`
      if (!allowed.includes(method)) throw fail(4200, `${method} is not supported by the wallet`)
      return opened.request({ topic: session.topic, chainId: chain, request: { method, params } })
    },
  }
  opened.on('session_delete', ({ topic }) => {
    if (topic === session.topic) provider.isOver = true
  })
  return provider
}

/** Returns the wallet app's link, unless its scheme is for scripts, local resources or plain http. */
function appUrlOf(url: string | undefined): string | undefined {
  if (!url || url.length > 300 || !URL.canParse(url)) return undefined
  return /^(javascript|data|blob|file|vbscript|about|http):$/.test(new URL(url).protocol) ? undefined : url
}

function withinLimit<Value>(promise: Promise<Value>): Promise<Value> {
  return Promise.race([
    promise,
    new Promise<never>((_resolve, reject) => {
      setTimeout(() => reject(new Error('relay.walletconnect.org does not respond')), relayLimitMs)
    }),
  ])
}

function drawCode(uri: string): void {
  const place = document.querySelector('[data-code]')
  if (!place) return
  const { size, data } = encode(uri, { ecc: 'M', border: 4 })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  const svg = element('svg', { viewBox: `0 0 ${size} ${size}`, class: 'qr', role: 'img' })
  svg.setAttribute('aria-label', place.getAttribute('data-label') ?? '')
  svg.append(element('path', { d: path, fill: '#000' }))
  place.replaceChildren(svg)
}

function element(name: string, attributes: Readonly<Record<string, string>>): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  return made
}

/** Stores keys and sessions in memory, so that nothing remains in the browser. */
function memoryStorage() {
  const kept = new Map<string, unknown>()
  return {
    getKeys: async () => [...kept.keys()],
    getEntries: async <Value>() => [...kept.entries()] as [string, Value][],
    getItem: async <Value>(key: string) => kept.get(key) as Value | undefined,
    setItem: async (key: string, value: unknown) => void kept.set(key, value),
    removeItem: async (key: string) => void kept.delete(key),
  }
}

function fail(code: number, message: string): Error {
  return Object.assign(new Error(message), { code })
}
