import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { ApiResponse, CallOptions } from './call-api.ts'
import type { TestApi } from './start-api.ts'

type Calls = Pick<TestApi, 'call'>

type Seller = { readonly key: string; readonly wallet: Wallet }

export function receiptBody<More extends object>(id: string, usd = 3.5, more?: More) {
  return { id, lineItems: [{ label: 'Coffee', priceUsd: usd }], totalUsd: usd, ...(more as More) }
}

export function euroBody<More extends object>(id: string, amount = 3.5, more?: More) {
  return { id, currency: 'EUR', lineItems: [{ label: 'Coffee', amount }], ...(more as More) }
}

export async function makeReceipt(api: Calls, { key }: Seller, body: object): Promise<ApiResponse> {
  return must(api, 201, 'POST', '/api/receipts', { key, body })
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any field of the response
export async function readReceipt(api: Calls, { key }: Seller, id: string): Promise<any> {
  return (await api.call('GET', `/api/receipts/${id}`, { key })).body
}

export async function takeForPaid(
  api: Calls,
  { wallet }: Seller,
  session: CallOptions['session'],
  receiptId: string,
): Promise<void> {
  const body = { receiptId, wallet, status: 'checkout_success' }
  await must(api, 200, 'POST', '/api/receipts/status', { session, body })
}

async function must(
  api: Calls,
  status: number,
  ...request: Parameters<TestApi['call']>
): Promise<ApiResponse> {
  const response = await api.call(...request)
  if (response.status !== status) throw new Error(`${response.status} ${response.text}`)
  return response
}
