import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { runPay } from '../../apps/server/src/local/demo/run-pay.ts'
import { logInOwner, type OwnerApi } from '../../apps/server/test/support/browser/signed-in.ts'
import type { StartedService } from '../run/running-service.ts'
import { findDepositAddress, sendAgain } from './bench-pages.ts'

/** What the pictures of the web app show, and where. */
export type AppStory = {
  readonly owner: OwnerApi
  readonly orderId: string
  readonly deliveryId: string
  close(): Promise<void>
}

const waitMs = 60_000
const people = {
  developer: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  cashier: '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
  viewer: '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
}

/** Days of trade at the demo merchant's shop, brought about through the API and the chain only. */
export async function tellAppStory(service: StartedService): Promise<AppStory> {
  const owner = await logInOwner(service)
  const receiver = await serveReceiver()
  const hook = { webhook_url: `${receiver.url}/orders` }
  const make = (id: string, lines: readonly (readonly [string, number])[], more: object = {}) =>
    makeReceipt(service, {
      id,
      currency: 'USD',
      lineItems: lines.map(([label, amount]) => ({ label, amount })),
      ...more,
    })
  const pay = async (url: string, token = 'USDC', way: 'transfer' | 'call' = 'transfer') => {
    await runPay({}, { url, token, way, dataDir: service.dataDir }, () => {})
    return url
  }
  const wallet = service.merchant.address

  await sell(owner, { make, pay, hook })
  const orderId = await order(owner, pay)
  const twice = await make('web-1043', [['Ethiopia Guji, 1 kg', 38.5]], hook)
  const address = await findDepositAddress(twice)
  await pay(twice)
  const hash = await sendAgain(service, address, 38_500_000)
  await make('web-1051', [['Breakfast blend, 500 g', 16.9]], { webhook_url: `${receiver.url}/down` })
  await owner.send('POST', '/api/receipts/web-1051/cancel', {})
  for (const id of ['web-1039', 'web-1043']) await waitForReconciled(owner, id)
  await owner.send('POST', '/api/receipts/refund', {
    receiptId: 'web-1039',
    wallet,
    buyer: people.viewer,
    usd: 14,
  })
  await owner.send('POST', '/api/receipts/status', {
    receiptId: 'web-1043',
    wallet,
    status: 'refund_requested',
    reason: 'Arrived with a torn bag',
  })
  await claim(service, owner, hash)
  await setUp(owner)
  const { deliveries } = await owner.send('GET', '/api/webhooks/deliveries')
  return { owner, orderId, deliveryId: deliveries[0]?.id, close: receiver.close }
}

type Trade = {
  readonly make: (id: string, lines: readonly (readonly [string, number])[], more?: object) => Promise<string>
  readonly pay: (url: string, token?: string, way?: 'transfer' | 'call') => Promise<string>
  readonly hook: object
}

/** Receipts that were paid in one way or another, and some that wait. */
async function sell(owner: OwnerApi, { make, pay, hook }: Trade): Promise<void> {
  await pay(
    await make(
      'web-1038',
      [
        ['Colombia La Palma, 1 kg', 34],
        ['Paper filters', 6.5],
      ],
      hook,
    ),
  )
  await pay(
    await make(
      'web-1039',
      [
        ['Hand grinder', 89],
        ['Kenya Nyeri, 250 g', 14],
      ],
      hook,
    ),
    'USDT',
  )
  await pay(await make('web-1040', [['Coffee subscription, November', 120]], hook), 'USDC', 'call')
  await pay(await make('berlin-207', [['Espresso tasting for two', 64]], { ...hook, currency: 'EUR' }))
  await make(
    'web-1047',
    [
      ['Night Watch espresso, 1 kg', 36],
      ['Shipping', 5.9],
    ],
    hook,
  )
  await make('web-1048', [['Gift card', 50]], hook)
  await make('berlin-211', [['Barista course', 145]], { currency: 'EUR' })
  await make('web-1050', [['Colombia La Palma, 250 g', 11.5]], hook)
  await owner.send('POST', '/api/receipts/web-1050/cancel', {})
}

/** An order of products that was paid; gives its id. */
async function order(owner: OwnerApi, pay: Trade['pay']): Promise<string> {
  const { items } = await owner.send('GET', '/api/inventory')
  const skus = (items as { sku: string }[]).slice(0, 2).map(({ sku }) => ({ sku, qty: 1 }))
  const make = (transactionId: string, lines: readonly object[]) =>
    owner.send('POST', '/api/orders', { items: lines, jurisdictionCode: 'US-CA', transactionId })
  const { receiptId, paymentUrl } = await make('table-9', skus)
  await make('table-4', skus.slice(1))
  await pay(paymentUrl)
  return receiptId
}

/** A buyer says that money which matches no receipt is theirs. */
async function claim(service: StartedService, owner: OwnerApi, transactionHash: string): Promise<void> {
  await until(
    () => owner.send('GET', '/api/payments/unmatched'),
    ({ payments }) => payments.length > 0,
  )
  const logIndex = await readLogIndex(service, transactionHash)
  const answer = await fetch(`${service.baseUrl}/api/payments/claims`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      transactionHash,
      logIndex,
      refundAddress: people.viewer,
      contact: 'ada@buyers.example',
    }),
  })
  if (!answer.ok) throw new Error(`no claim was made: ${answer.status} ${await answer.text()}`)
}

/** Where in its block a transfer was logged. */
async function readLogIndex({ rpcUrl }: StartedService, hash: string): Promise<number> {
  const answer = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [hash] }),
  })
  const { result } = (await answer.json()) as { result: { logs: readonly { logIndex: string }[] } }
  return Number(result.logs[0]?.logIndex)
}

/** Members, a key, settings. */
async function setUp(owner: OwnerApi): Promise<void> {
  for (const [role, wallet] of Object.entries(people))
    await owner.send('POST', '/api/members', { wallet, role })
  await owner.send('POST', '/api/subscriptions', {
    name: 'Web shop',
    scopes: ['receipts:read', 'receipts:write'],
  })
  await owner.send('POST', '/api/settings', {
    finality: { safeFromUsd: 100, finalFromUsd: 1000 },
    taxRates: [{ jurisdictionCode: 'US-OR', rate: 0.01, components: ['State'] }],
    notificationAddress: 'shop@tidewater.example',
    embedOrigins: ['https://tidewater.example'],
  })
}

async function waitForReconciled(owner: OwnerApi, id: string): Promise<void> {
  await until(
    () => owner.send('GET', `/api/receipts/${id}`),
    ({ status }) => status === 'reconciled',
  )
}

async function until<T>(look: () => Promise<T>, isDone: (seen: T) => boolean): Promise<T> {
  const deadline = Date.now() + waitMs
  for (;;) {
    const seen = await look()
    if (isDone(seen)) return seen
    if (Date.now() > deadline) throw new Error(`it did not come about: ${JSON.stringify(seen).slice(0, 500)}`)
    await sleep(300)
  }
}

async function makeReceipt(service: StartedService, body: object): Promise<string> {
  const answer = await fetch(`${service.baseUrl}/api/receipts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'ocp-apim-subscription-key': service.subscriptionKey },
    body: JSON.stringify(body),
  })
  const made = (await answer.json()) as { paymentUrl?: string }
  if (!made.paymentUrl) throw new Error(`no receipt was made: ${answer.status} ${JSON.stringify(made)}`)
  return made.paymentUrl
}

/** A shop's receiver of webhooks: one path takes them, the other is out of order. */
async function serveReceiver() {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(request.url === '/down' ? 500 : 200).end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
