import type { AttemptView, CheckoutView } from '@sluice/protocol/api/checkout.ts'
import { type Clock, stayAlive, systemClock, wait } from '../../kernel/clock.ts'
import { HttpOutbound } from '../../platform/outbound/http-outbound.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { openBuyer } from './buyer.ts'
import { payByProgram } from './pay-by-program.ts'
import { type Environment, findRunning } from './service.ts'

const paidLimitMs = 60_000

/** What `npm run pay` was asked for. */
export type PayOrder = {
  readonly url: string
  readonly token: string
  readonly way: 'call' | 'transfer' | 'x402'
  readonly dataDir: string | undefined
}

/**
 * Pays a receipt of the local service from the demo buyer's wallet, as a buyer without an account does it:
 * through what the checkout offers, and nothing else. Returns when the checkout says that it is paid.
 *
 * @throws where no local service runs, the receipt cannot be paid, or it is not paid within a minute.
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
  const outcome = await outbound.request({
    method,
    url,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    timeoutMs: 10_000,
    maxResponseBytes: 1_000_000,
  })
  if (outcome.kind === 'fault') throw new Error(`${method} ${url}: ${outcome.fault}, ${outcome.detail}`)
  const text = Buffer.from(outcome.body).toString()
  if (outcome.status >= 300) throw new Error(`${method} ${url} answered ${outcome.status}: ${text}`)
  return JSON.parse(text) as T
}

/** Where the checkout of one receipt is asked. */
export type CheckoutAddress = { readonly page: string; readonly view: string; readonly attempts: string }

/**
 * What a payment URL points at, asked of the service at `baseUrl`, whatever host the URL names.
 *
 * @throws where it is no payment URL.
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
