import { type Cents, writeCents } from '@sluice/protocol/money.ts'
import { customerTotalCents, type Receipt, type ReceiptLine } from '../../receipts/receipt.ts'
import type { BuyerData, ReceiptView } from './receipt-view.ts'

/**
 * Lines and totals of a receipt. What an order or the point of sale added as tax is shown as such and not among the
 * lines; a line that a caller named `Tax` is a line like any other.
 */
export function viewLines(receipt: Receipt): Pick<ReceiptView, 'lines' | 'tax' | 'totals'> {
  const { lines, tax, origin } = receipt
  const last = lines.at(-1)
  const taxLine = last && origin !== 'api' && last.label === taxLabel ? last : undefined
  const others = taxLine ? lines.slice(0, -1) : lines
  return {
    lines: others.map((line) => ({
      label: line.label,
      qty: line.qty ?? null,
      amount: writeCents(amountOf(line)),
    })),
    tax: taxLine
      ? {
          amount: writeCents(amountOf(taxLine)),
          rate: tax?.taxRate ?? null,
          jurisdictionCode: tax?.jurisdictionCode ?? null,
        }
      : null,
    totals: {
      total: writeCents(receipt.nativeTotalCents ?? receipt.totalCents),
      totalUsd: writeCents(receipt.totalCents),
      feeUsd: writeCents(receipt.feeCents),
      customerTotalUsd: writeCents(customerTotalCents(receipt)),
    },
  }
}

/** What orders and the point of sale call the line (contract: Orders). */
const taxLabel = 'Tax'

function amountOf(line: ReceiptLine): Cents {
  return line.nativeCents ?? line.usdCents
}

/** What a receipt knows of its buyer; null where that is nothing. */
export function viewBuyer({ billing = {}, providerEmail }: Receipt): BuyerData | null {
  const join = (...parts: readonly (string | undefined)[]) => parts.filter(Boolean).join(' ') || null
  const { firstName, lastName, line1, line2, zip, city, state, country } = billing
  const address = [join(line1), join(line2), join(zip, city), join(state), join(country)]
  const buyer = {
    name: join(firstName, lastName),
    email: billing.email ?? providerEmail ?? null,
    phone: billing.phone ?? null,
    address: address.filter((line) => line !== null),
  }
  const isEmpty = !buyer.name && !buyer.email && !buyer.phone && buyer.address.length === 0
  return isEmpty ? null : buyer
}
