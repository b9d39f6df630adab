import type { AttemptView, CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { type X402PaymentRequired, x402Headers, x402Version } from '@sluice/protocol/x402/messages.ts'
import { bytesToHex, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type Clock, stayAlive, systemClock, wait } from '../../kernel/clock.ts'
import { systemRandom } from '../../kernel/random.ts'
import { authorizationTypes } from '../../payments/relaying/authorization.ts'
import { HttpOutbound } from '../../platform/outbound/http-outbound.ts'
import type { Outbound, OutboundOutcome, OutboundRequest } from '../../platform/outbound/outbound.ts'
import type { LocalJson } from '../local-settings.ts'
import { openBuyer } from './buyer.ts'
import { type Environment, findRunning } from './service.ts'

const paidLimitMs = 60_000

export type PayOrder = {
  readonly url: string
  readonly token: string
  readonly way: 'call' | 'transfer' | 'x402'
  readonly dataDir: string | undefined
}

/**
 * Pays a receipt of the local service from the demo buyer's wallet, through the public checkout only. Returns
 * when the checkout reports the payment.
 *
 * @throws if no local service runs, the receipt cannot be paid, or a minute passes.
 */
export async function runPay(
  env: Environment,
  order: PayOrder,
  print: (line: string) => void,
): Promise<void> {
  const clock = systemClock
  const letGo = stayAlive()
  const outbound = new HttpOutbound({ clock }, { targets: 'any', allowHttp: true })
  try {
    const local = await findRunning({ outbound, env }, order.dataDir)
    if (!local)
      throw new Error('no local service is running in this data directory: start one with npm start')
    const checkout = readPaymentUrl(order.url, local.baseUrl)
    const before = await ask<CheckoutView>(outbound, 'GET', checkout.view)
    const look = () => ask<CheckoutView>(outbound, 'GET', checkout.view)
    if (order.way === 'x402') {
      print(`${before.brandName}: $${before.customerTotalUsd} by x402`)
      print(`settled: ${await payByProgram({ clock, outbound }, local, checkout.page)}`)
      return print(await waitUntilPaid(clock, look))
    }
    const buyer = await openBuyer({ clock, outbound }, local)
    const body = { token: order.token, payer: buyer.address }
    const attempt = await ask<AttemptView>(outbound, 'POST', checkout.attempts, body)
    print(`${before.brandName}: $${before.customerTotalUsd} in ${attempt.token}`)
    const mined = await (order.way === 'call' ? buyer.payByCall(attempt) : buyer.payByTransfer(attempt))
    print(`sent in block ${mined.block}: ${mined.hash}`)
    print(await waitUntilPaid(clock, look))
  } finally {
    await outbound.close()
    letGo()
  }
}

async function waitUntilPaid(clock: Clock, look: () => Promise<CheckoutView>): Promise<string> {
  const giveUpAt = clock.now() + paidLimitMs
  for (;;) {
    const { status, payment } = await look()
    if (status !== 'pending' && status !== 'generated') return status
    if (clock.now() > giveUpAt)
      throw new Error(`not paid within a minute; the state of the payment is ${payment.state}`)
    await wait(clock, 200)
  }
}

async function ask<T>(outbound: Outbound, method: 'GET' | 'POST', url: string, body?: object): Promise<T> {
  const json = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const reply = await send(outbound, { method, url, ...json })
  if (reply.status >= 300) throw new Error(`${method} ${url} returned ${reply.status}: ${textOf(reply)}`)
  return JSON.parse(textOf(reply)) as T
}

async function send(
  outbound: Outbound,
  request: Omit<OutboundRequest, 'timeoutMs' | 'maxResponseBytes'>,
): Promise<Reply> {
  const outcome = await outbound.request({ ...request, timeoutMs: 30_000, maxResponseBytes: 1_000_000 })
  if (outcome.kind === 'response') return outcome
  throw new Error(`${request.method} ${request.url}: ${outcome.error}, ${outcome.detail}`)
}

export type CheckoutAddress = { readonly page: string; readonly view: string; readonly attempts: string }

/**
 * Parses a payment URL. Ignores its host and uses `baseUrl`.
 *
 * @throws if the text is not a payment URL.
 */
export function readPaymentUrl(text: string, baseUrl: string): CheckoutAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const id = /^\/(?:portal|pay)\/([^/]+)$/.exec(url?.pathname ?? '')?.[1]
  if (!url || !id) throw new Error(`not a payment URL: ${text}`)
  const recipient = url.searchParams.get('recipient')
  const query = recipient === null ? '' : `?recipient=${encodeURIComponent(recipient)}`
  const view = `${baseUrl}/api/checkout/${id}`
  return { page: `${baseUrl}/pay/${id}${query}`, view: view + query, attempts: `${view}/attempts${query}` }
}

type Reply = Extract<OutboundOutcome, { kind: 'response' }>

const limitMs = 60_000
const pauseMs = 1_000

/**
 * Pays a receipt through x402: requests its payment URL, signs the required payment, and retries until
 * settled.
 *
 * @returns the transaction hash.
 * @throws if the receipt cannot be paid by signature, or a minute passes.
 */
export async function payByProgram(
  { clock, outbound }: { readonly clock: Clock; readonly outbound: Outbound },
  local: LocalJson,
  url: string,
): Promise<string> {
  const get = (payment?: string) => {
    const headers = { accept: 'application/json', ...(payment && { [x402Headers.signature]: payment }) }
    return send(outbound, { method: 'GET', url, headers })
  }
  const asked = await get()
  if (asked.status !== 402) throw new Error(`the receipt cannot be paid: ${asked.status} ${textOf(asked)}`)
  const header = await sign(clock, local, decode(asked, x402Headers.required) as X402PaymentRequired)
  const giveUpAt = clock.now() + limitMs
  for (;;) {
    const reply = await get(header)
    const settled = decode(reply, x402Headers.response) as { transaction?: string; errorMessage?: string }
    if (reply.status === 200 && settled.transaction) return settled.transaction
    if (reply.status !== 202 || clock.now() > giveUpAt)
      throw new Error(settled.errorMessage ?? `${reply.status} ${textOf(reply)}`)
    await wait(clock, pauseMs)
  }
}

async function sign(
  clock: Clock,
  local: LocalJson,
  { accepts: [accepted], error }: X402PaymentRequired,
): Promise<string> {
  if (!accepted) throw new Error(error ?? 'no signatures are taken')
  const { amount, asset, payTo, maxTimeoutSeconds, extra } = accepted
  const account = privateKeyToAccount(local.buyer.privateKey)
  const authorization = {
    from: account.address,
    to: payTo as Hex,
    value: BigInt(amount),
    validAfter: 0n,
    validBefore: BigInt(Math.floor(clock.now() / 1000) + maxTimeoutSeconds),
    nonce: bytesToHex(systemRandom.bytes(32)),
  }
  const signature = await account.signTypedData({
    domain: { ...extra, chainId: local.chainId, verifyingContract: asset as Hex },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  })
  const texts = Object.entries(authorization).map(([name, value]) => [name, String(value)])
  const payload = { authorization: Object.fromEntries(texts), signature }
  return Buffer.from(JSON.stringify({ x402Version, accepted, payload })).toString('base64')
}

function decode({ headers }: Reply, name: string): unknown {
  const text = headers[name.toLowerCase()]
  return text === undefined ? {} : JSON.parse(Buffer.from(text, 'base64').toString())
}

function textOf({ body }: Reply): string {
  return Buffer.from(body).toString()
}
