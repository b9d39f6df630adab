import { x402Headers } from '@sluice/protocol/x402/messages.ts'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { addRealPages } from '../api/pages.ts'
import type { ChainOptions } from './chain-api.ts'
import { startPayments } from './payments.ts'
import { relayerKey } from './relaying.ts'
import { fundGaslessBuyer, type GaslessBuyer } from './signatures.ts'

export type ProgramReply = {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of the response
  readonly body: any
  // biome-ignore lint/suspicious/noExplicitAny: tests read any of its fields
  readonly required: any
  // biome-ignore lint/suspicious/noExplicitAny: tests read any of its fields
  readonly response: any
}

export async function startPrograms(options: ChainOptions = {}) {
  const context = await startPayments({ relayerKey, extend: addRealPages, ...options })
  const payer = await fundGaslessBuyer(context.api)
  await context.mineAndScan()
  const payUrl = (id: string) =>
    `${context.api.url}/portal/${encodeURIComponent(id)}?recipient=${context.merchant.wallet}`
  async function ask(url: string, payment?: string) {
    const headers = { accept: 'application/json', ...(payment !== undefined && { [header]: payment }) }
    return replyOf(await fetch(url, { headers }))
  }
  const client = ({ privateKey }: GaslessBuyer) =>
    new x402Client()
      .register(`eip155:${context.chain.chainId}`, new ExactEvmScheme(privateKeyToAccount(privateKey)))
      // By default, the client pays only with well-known tokens, and at most one dollar.
      .setSpendControls({ allowedAssets: true })
  return {
    ...context,
    payer,
    payUrl,
    ask,
    client,
    payingFetch: (from: GaslessBuyer) => wrapFetchWithPayment(patientFetch, client(from)),
    /** Returns the decoded payment that the official client sends for a receipt. */
    // biome-ignore lint/suspicious/noExplicitAny: tests change any field of the payment
    async sign(id: string, from = payer): Promise<any> {
      const { required } = await ask(payUrl(id))
      return client(from).createPaymentPayload(required)
    },
  }
}

const header = x402Headers.signature

/** Repeats a request while its payment is in progress, as the guide recommends. */
export const patientFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init)
  for (;;) {
    const reply = await fetch(request.clone())
    if (reply.status !== 202 || !request.headers.has(header)) return reply
    await reply.arrayBuffer()
  }
}

export function encodePayment(payload: unknown): string {
  return Buffer.from(JSON.stringify(payload)).toString('base64')
}

export async function replyOf(reply: Response): Promise<ProgramReply> {
  const required = reply.headers.get(x402Headers.required)
  const response = reply.headers.get(x402Headers.response)
  const text = await reply.text()
  return {
    status: reply.status,
    headers: reply.headers,
    body: text.startsWith('{') ? JSON.parse(text) : text,
    required: required === null ? undefined : decodePaymentRequiredHeader(required),
    response: response === null ? undefined : decodePaymentResponseHeader(response),
  }
}
