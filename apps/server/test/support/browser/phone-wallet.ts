import { build } from 'esbuild'
import type { Browser } from 'playwright-core'
import { createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { PairingRelay } from './pairing-relay.ts'

/** A wallet on another device, that pairs by the text of a code. */
export type PhoneWallet = {
  readonly address: Hex
  /** What it was asked to send. */
  readonly asked: string[]
  /** Declines what it is asked from now on. */
  refuse(): void
  pair(uri: string): Promise<void>
  close(): Promise<void>
}

const home = 'https://wallet.example/'

/** Runs in the wallet's page: agrees to every pairing, and hands requests out to be signed. */
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

/** Starts it in a browser context of its own, with the relay in the place of the real one. */
export async function startPhoneWallet(
  browser: Browser,
  relay: PairingRelay,
  { privateKey, rpcUrl }: { privateKey: Hex; rpcUrl: string },
): Promise<PhoneWallet> {
  const context = await browser.newContext()
  await relay.serve(context)
  const account = privateKeyToAccount(privateKey)
  const client = createWalletClient({ account, transport: http(rpcUrl) })
  const asked: string[] = []
  let isRefusing = false
  await context.exposeFunction(
    'sign',
    async ({ method, params }: { method: string; params: (Record<string, Hex> | string)[] }) => {
      if (method === 'eth_signTypedData_v4') {
        const { EIP712Domain: _, ...types } = JSON.parse(String(params[1])).types
        return { result: await account.signTypedData({ ...JSON.parse(String(params[1])), types }) }
      }
      if (method !== 'eth_sendTransaction') return { error: { code: 4200, message: 'not supported' } }
      asked.push(method)
      if (isRefusing) return { error: { code: 5000, message: 'User rejected.' } }
      const { to, data = '0x', value = '0x0' } = (params[0] ?? {}) as Record<string, Hex>
      const sent = { to: to ?? null, data, value: BigInt(value), chain: null }
      return { result: await client.sendTransaction(sent) }
    },
  )
  const page = await context.newPage()
  await page.route(home, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>Wallet</title>' }),
  )
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
    refuse: () => {
      isRefusing = true
    },
    pair: (uri) => page.evaluate(`pair(${JSON.stringify(uri)}).then(() => {})`),
    close: () => context.close(),
  }
}
