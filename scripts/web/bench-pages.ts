import { setTimeout as sleep } from 'node:timers/promises'
import { runPay } from '../../apps/server/src/local/demo/run-pay.ts'
import type { StartedService } from '../run/running-service.ts'

const waitMs = 60_000

/** Creates the measured buyer's pages on a new local service. Returns their URLs by name. */
export async function makeBenchPages(service: StartedService): Promise<Record<string, string>> {
  const one = await makeReceipt(service, 1)
  const fourteen = await makeReceipt(service, 14)
  const paid = await makeReceipt(service, 3)
  const address = await findDepositAddress(paid)
  await runPay({}, { url: paid, token: 'USDC', way: 'transfer', dataDir: service.dataDir }, () => {})
  return {
    'checkout, 1 line': one,
    'checkout, 14 lines': fourteen,
    'receipt, 3 lines, paid': paid.replace('/portal/', '/receipt/').replace('/pay/', '/receipt/'),
    'claim of a payment found': await payAgain(service, address),
    'storefront, 12 products': `${service.baseUrl}/shop/demo`,
    'start page': service.baseUrl,
  }
}

/** Creates a receipt. Returns its payment URL. */
async function makeReceipt(service: StartedService, lines: number): Promise<string> {
  const lineItems = Array.from({ length: lines }, (_, i) => ({
    label: `Coffee beans, sort ${i + 1}`,
    amount: 12.5,
  }))
  const response = await fetch(`${service.baseUrl}/api/receipts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'ocp-apim-subscription-key': service.subscriptionKey },
    body: JSON.stringify({ id: `bench-${lines}`, currency: 'USD', lineItems }),
  })
  const body = (await response.json()) as { paymentUrl?: string }
  if (!body.paymentUrl) throw new Error(`no receipt was made: ${response.status} ${JSON.stringify(body)}`)
  return body.paymentUrl
}

/** Returns the deposit address of a new offer for the receipt. */
async function findDepositAddress(paymentUrl: string): Promise<string> {
  const { origin, pathname, search } = new URL(paymentUrl)
  const response = await fetch(`${origin}/api/checkout/${pathname.split('/').at(-1)}/attempts${search}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: 'USDC' }),
  })
  const body = (await response.json()) as { depositAddress?: string }
  if (!body.depositAddress) throw new Error(`no offer was made: ${response.status} ${JSON.stringify(body)}`)
  return body.depositAddress
}

/** Pays an already paid receipt again. Returns the URL at which the demo buyer claims that payment. */
async function payAgain(service: StartedService, address: string): Promise<string> {
  const url = `${service.baseUrl}/claim?hash=${await sendAgain(service, address, 25_000_000)}`
  const deadline = Date.now() + waitMs
  while (!(await (await fetch(url)).text()).includes('id="by-wallet"')) {
    if (Date.now() > deadline) throw new Error('the payment did not come up to be claimed')
    await sleep(500)
  }
  return url
}

/** Sends USDC base units from the demo buyer to an address. Returns the transaction hash. */
async function sendAgain(
  { baseUrl, tokens }: StartedService,
  address: string,
  units: number,
): Promise<string> {
  const word = (hex: string) => hex.replace('0x', '').toLowerCase().padStart(64, '0')
  const data = `0xa9059cbb${word(address)}${word(units.toString(16))}`
  const sent = await fetch(`${baseUrl}/local/wallet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ method: 'eth_sendTransaction', params: [{ to: tokens.USDC, data }] }),
  })
  const { result } = (await sent.json()) as { result?: string }
  if (!result) throw new Error('the demo buyer could not send anything')
  return result
}
