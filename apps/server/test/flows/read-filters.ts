import { webhookKindNames } from '@sluice/protocol/api/webhook-body.ts'
import type { Tenant } from '../support/service/tenant.ts'

export type Filters = Readonly<Record<string, readonly string[]>>

const wallet = `0x${'12'.repeat(20)}`
const hash = `0x${'ab'.repeat(32)}`
const tomorrow = String(Date.now() + 86_400_000)
const receiptFilters: Filters = {
  status: ['pending', 'refund_requested', 'paid,reconciled', 'cancelled'],
  from: ['1'],
  to: [tomorrow],
  q: ['order-1', hash, hash.slice(0, 10), 'someone@example.com'],
  currency: ['EUR'],
  min: ['1'],
  max: ['100.5'],
}
const receiptDisplays: Filters = {
  displayStatus: ['pending', 'expired', 'underpaid,overpaid', 'paid,reversed'],
}
const receiptSorts = ['-createdAt', 'createdAt', '-amount', 'amount']

export const filtersOf = (t: Tenant): Readonly<Record<string, Filters>> => ({
  'GET /api/audit': {
    actor: [wallet],
    action: ['member', 'member.added'],
    subject: [wallet],
    from: ['1'],
    to: [tomorrow],
  },
  'GET /api/requests': { key: [t.subscriptionId, ...t.keyIds] },
  'GET /api/receipts': { ...receiptFilters, ...receiptDisplays, sort: receiptSorts },
  'GET /api/receipts/summary': {
    ...receiptFilters,
    interval: ['day', 'month'],
    timezone: ['Europe/Paris'],
  },
  'GET /api/receipts/export': { ...receiptFilters, ...receiptDisplays, sort: receiptSorts },
  'GET /api/receipts/status': { receiptId: [t.receipts.paid] },
  'GET /api/terminal/check-payment': { receiptId: [t.receipts.terminal] },
  'GET /api/inventory': {
    slug: [t.slug],
    q: ['coffee', t.sku],
    category: ['tea'],
    tags: ['green,loose'],
    taxable: ['true', 'false'],
    stock: ['in', 'out'],
    priceMin: ['1'],
    priceMax: ['9.5'],
    status: ['active', 'draft', 'archived', 'any'],
    sort: ['name', 'sku', 'priceUsd', 'stockQty', 'updatedAt'],
    order: ['asc', 'desc'],
  },
  'GET /api/loyalty': { wallet: [wallet] },
  'GET /api/split/transactions': { address: [wallet, t.splitAddress] },
  'GET /api/split/transactions/export': { address: [wallet, t.splitAddress] },
  'GET /api/shop/config': { slug: [t.slug] },
  'GET /api/checkout/{id}': { recipient: [t.wallet] },
  'GET /api/payments/export': { from: ['1'], to: [tomorrow] },
  'GET /api/payments/unmatched': { state: ['open', 'refunded', 'all'] },
  'GET /api/events': { after: ['1'] },
  'GET /api/events/stream': { lastEventId: ['1'] },
  'GET /api/webhooks/deliveries': {
    receiptId: [t.receipts.paid],
    state: ['pending', 'delivered'],
    event: webhookKindNames,
  },
})

export function queriesOf(filters: Filters): string[] {
  const alone = Object.entries(filters).flatMap(([name, values]) =>
    values.map((value) => `${name}=${encodeURIComponent(value)}`),
  )
  const orders = alone.filter((query) => query.startsWith('sort='))
  const narrowing = alone.filter((query) => !query.startsWith('sort='))
  return [...alone, ...narrowing.flatMap((query) => orders.map((order) => `${query}&${order}`))]
}
