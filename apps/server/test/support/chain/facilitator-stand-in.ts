import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { x402Facilitator } from '@x402/core/facilitator'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createNonceManager, jsonRpc } from 'viem/nonce'

/** A request to settle, as a facilitator gets it. */
export type SettleRequest = {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  readonly body: any
}

/** A facilitator over HTTP on this machine. */
export type FacilitatorStandIn = {
  readonly url: string
  readonly requests: SettleRequest[]
  /** What it answers in place of settling, by who is to be paid; `undefined`: the official facilitator settles. */
  behave: (payTo: string) => { readonly status: number; readonly body: unknown } | undefined
  /** Called when the official facilitator has settled, before that is answered. */
  whenSettled: (payTo: string) => void
  /** Settles what a request asks for, whatever was answered to it. */
  settle(request: SettleRequest): Promise<unknown>
  close(): Promise<void>
}

/** Starts the official facilitator as npm has it, whose account pays the gas. */
export async function startFacilitator(): Promise<FacilitatorStandIn & { use(rpcUrl: string): void }> {
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
    const answer = said?.body ?? (await settle(body))
    if (!said) standIn.whenSettled(payTo)
    response.writeHead(said?.status ?? 200, { 'content-type': 'application/json' })
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const standIn: FacilitatorStandIn & { use(rpcUrl: string): void } = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    behave: () => undefined,
    whenSettled: () => {},
    settle: ({ body }) => settle(body),
    use(rpcUrl) {
      const signer = toFacilitatorEvmSigner(makeClient(rpcUrl))
      official = new x402Facilitator().register('eip155:31337', new ExactEvmScheme(signer))
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return standIn
}

/** The account that pays its gas: the last of the test chain's, which nobody else uses. */
export const gasPayer: Hex = '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a'

function makeClient(rpcUrl: string) {
  // One that is shared would go on where it was on the chain of another file.
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
