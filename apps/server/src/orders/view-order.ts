import type { OrderView } from '@sluice/protocol/api/orders.ts'
import { writeCents } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { writeTaxRate } from '../pricing/taxes/tax-rate.ts'
import { displayStatusOf } from '../receipts/finding/display-status.ts'
import { itemCents } from './order.ts'
import type { KnownOrder } from './store.ts'

/** Where the buyer pays an order: ids that Sluice made need no recipient. */
export function orderPaymentUrl(baseUrl: string, id: string): string {
  return `${baseUrl}/pay/${id}`
}

/**
 * An order as its merchant sees it.
 *
 * @param now - The time of deadlines.
 */
export function viewOrder(order: KnownOrder, baseUrl: string, now: UnixMs): OrderView {
  const { tax } = order
  return {
    id: order.id,
    receiptId: order.id,
    paymentUrl: orderPaymentUrl(baseUrl, order.id),
    status: order.status,
    displayStatus: displayStatusOf(order, now),
    items: order.items.map((item) => ({
      productId: item.productId,
      sku: item.sku,
      name: item.name,
      qty: Number(item.qty),
      unitPriceUsd: writeCents(item.unitCents),
      totalUsd: writeCents(itemCents(item)),
      taxable: item.taxable,
    })),
    subtotalUsd: writeCents(order.subtotalCents),
    taxableUsd: writeCents(order.taxableCents),
    taxUsd: writeCents(order.taxCents),
    totalUsd: writeCents(order.totalCents),
    jurisdictionCode: tax.jurisdictionCode,
    taxRate: writeTaxRate(tax.rate),
    taxComponents: [...tax.components],
    taxFrom: tax.from,
    stock: order.stock ?? null,
    stockMissing: order.missing.map(({ productId, qty }) => ({ productId, qty: Number(qty) })),
    createdAt: order.createdAt,
    expiresAt: order.expiresAt ?? null,
    metadata: order.metadata ?? null,
    transactionId: order.transactionId ?? null,
  }
}
