import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { x402Facilitator } from '@x402/core/facilitator'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createNonceManager, jsonRpc } from 'viem/nonce'

type SettleRequest = {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of the response
  readonly body: any
}

type Response = { readonly status: number; readonly body: unknown }

/** Serves the official facilitator from npm over HTTP. Its account pays the gas. */
export async function startFacilitator() {
  let official: x402Facilitator | undefined
  const settle = async ({ paymentPayload, paymentRequirements }: SettleRequest['body']) =>
    official?.settle(paymentPayload, paymentRequirements)
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const body = JSON.parse(text)
    standIn.requests.push({ headers: request.headers, body })
    const said = standIn.behave(body.paymentRequirements.payTo)
    const { payTo } = body.paymentRequirements
    const result = said?.body ?? (await settle(body))
    if (!said) standIn.whenSettled(payTo)
    response.writeHead(said?.status ?? 200, { 'content-type': 'application/json' })
    response.end(typeof result === 'string' ? result : JSON.stringify(result))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const standIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [] as SettleRequest[],
    /**
     * Returns a response to send instead of a settlement, by payee. `undefined` lets the official facilitator
     * settle.
     */
    behave: (_payTo: string): Response | undefined => undefined,
    /** Called after the settlement, before the response. */
    whenSettled: (_payTo: string): void => {},
    settle: ({ body }: SettleRequest) => settle(body),
    use(rpcUrl: string) {
      const signer = toFacilitatorEvmSigner(makeClient(rpcUrl))
      official = new x402Facilitator().register('eip155:31337', new ExactEvmScheme(signer))
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return standIn
}

/** An account of the test chain, reserved for the facilitator's gas. */
export const gasPayer: Hex = '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a'

function makeClient(rpcUrl: string) {
  // A shared manager would continue with the nonce of another file's chain.
  const nonceManager = createNonceManager({ source: jsonRpc() })
  const account = privateKeyToAccount(gasPayer, { nonceManager })
  const chain = {
    id: 31337,
    name: 'test',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  }
  const client = createWalletClient({ account, chain, transport: http(rpcUrl) }).extend(publicActions)
  return { ...client, address: account.address } as never
}
