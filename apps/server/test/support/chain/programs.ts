import { x402Headers } from '@sluice/protocol/x402/messages.ts'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { addRealPages } from '../api/buyer-pages.ts'
import type { ChainOptions } from './chain-api.ts'
import { type PaymentContext, startPayments } from './payments.ts'
import { relayerKey } from './relaying.ts'
import { fundGaslessBuyer, type GaslessBuyer } from './signatures.ts'

/** What a payment URL answers a program, with the protocol's headers decoded. */
export type ProgramReply = {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly body: any
  // biome-ignore lint/suspicious/noExplicitAny: the same
  readonly required: any
  // biome-ignore lint/suspicious/noExplicitAny: the same
  readonly response: any
}

/** The pages over a chain, with a relayer, and a program that holds USDC and no ETH. */
export type ProgramContext = PaymentContext & {
  readonly payer: GaslessBuyer
  /** The payment URL of a receipt, at the server of the test. */
  payUrl(id: string): string
  /** Asks as a program does; with a payment, as it repeats its request. Comes back once, whatever is answered. */
  ask(url: string, payment?: string): Promise<ProgramReply>
  /** The official client as npm has it, with a payer's key. */
  client(payer: GaslessBuyer): x402Client
  /** Its `fetch`, which pays what it is asked for. */
  payingFetch(payer: GaslessBuyer): typeof fetch
  /** What the official client sends for a receipt, decoded. */
  // biome-ignore lint/suspicious/noExplicitAny: a test changes it in every way
  sign(id: string, payer?: GaslessBuyer): Promise<any>
}

/** Starts it. */
export async function startPrograms(options: ChainOptions = {}): Promise<ProgramContext> {
  const world = await startPayments({ relayerKey, extend: addRealPages, ...options })
  const payer = await fundGaslessBuyer(world.api)
  await world.mineAndScan()
  const { url: base } = world.api
  const programs: ProgramContext = {
    ...world,
    payer,
    payUrl: (id) => `${base}/portal/${encodeURIComponent(id)}?recipient=${world.merchant.wallet}`,
    async ask(url, payment) {
      const headers = { accept: 'application/json', ...(payment !== undefined && { [header]: payment }) }
      return replyOf(await fetch(url, { headers }))
    },
    client: ({ privateKey }) =>
      new x402Client()
        .register(`eip155:${world.chain.chainId}`, new ExactEvmScheme(privateKeyToAccount(privateKey as Hex)))
        // Its default pays well-known tokens alone, and a dollar at most.
        .setSpendControls({ allowedAssets: true }),
    payingFetch: (from) => wrapFetchWithPayment(patientFetch, programs.client(from)),
    async sign(id, from = payer) {
      const { required } = await programs.ask(programs.payUrl(id))
      return programs.client(from).createPaymentPayload(required)
    },
  }
  return programs
}

const header = x402Headers.signature

/** Repeats a payment that is on its way, as the guide says: a busy machine may be slower than an answer waits. */
export const patientFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init)
  for (;;) {
    const answer = await fetch(request.clone())
    if (answer.status !== 202 || !request.headers.has(header)) return answer
    await answer.arrayBuffer()
  }
}

/** A payment as its header has it. */
export function encodePayment(payload: unknown): string {
  return Buffer.from(JSON.stringify(payload)).toString('base64')
}

/** An answer, with the protocol's headers as the official client decodes them. */
export async function replyOf(answer: Response): Promise<ProgramReply> {
  const required = answer.headers.get(x402Headers.required)
  const response = answer.headers.get(x402Headers.response)
  const text = await answer.text()
  return {
    status: answer.status,
    headers: answer.headers,
    body: text.startsWith('{') ? JSON.parse(text) : text,
    required: required === null ? undefined : decodePaymentRequiredHeader(required),
    response: response === null ? undefined : decodePaymentResponseHeader(response),
  }
}
