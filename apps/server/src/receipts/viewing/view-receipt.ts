import type { ReceiptDetail, ReceiptListItem } from '@sluice/protocol/api/receipts/receipts.ts'
import type { RefundView } from '@sluice/protocol/api/receipts/refunds.ts'
import type { ReceiptStatusResponse } from '@sluice/protocol/api/receipts/status.ts'
import { noFailure } from '@sluice/protocol/failures.ts'
import {
  type Cents,
  formatUnits,
  type TokenUnits,
  writeCents,
  writeTokenAmount,
} from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import type { ChainCoverage } from '../../chain/find-coverage.ts'
import type { Split } from '../../split/split.ts'
import type { Delivery } from '../../webhooks/list-deliveries.ts'
import { displayStatusOf } from '../finding/display-status.ts'
import { countLeftOut, type HistoryEntry } from '../history.ts'
import {
  customerTotalCents,
  type ListedReceipt,
  openDelivery,
  type Pricing,
  proofOf,
  type Receipt,
} from '../receipt.ts'
import { viewProviderSession } from '../receipt-event.ts'
import { isCounted, type Refund } from '../refunds/refund.ts'
import type { TelemetryCount } from './count-telemetry.ts'
import { viewTimeline } from './timeline.ts'

/** Returns a list entry, which omits buyer data and fields of the detail view. */
export function viewListItem(receipt: ListedReceipt, now: UnixMs): ReceiptListItem {
  return {
    receiptId: receipt.id,
    totalUsd: writeCents(receipt.totalCents),
    currency: receipt.currency,
    lineItems: receipt.lines.map((line) => ({
      label: line.label,
      priceUsd: writeCents(line.sentUsdCents ?? line.usdCents),
      ...(line.qty !== undefined && { qty: line.qty }),
      ...(line.nativeCents !== undefined && { amount: writeCents(line.nativeCents) }),
    })),
    createdAt: receipt.createdAt,
    brandName: receipt.brandName,
    status: receipt.status,
    displayStatus: displayStatusOf(receipt, now),
    ...(receipt.nativeTotalCents !== undefined && { total: writeCents(receipt.nativeTotalCents) }),
    ...(receipt.pricing && { pricing: viewPricing(receipt.pricing) }),
    ...(receipt.cancelledAt !== undefined && { cancelledAt: receipt.cancelledAt }),
  }
}

export function viewDetail(
  receipt: Receipt,
  around: {
    history: readonly HistoryEntry[]
    deliveries: readonly Delivery[]
    refunds: readonly Refund[]
    telemetry: readonly TelemetryCount[]
    split: Split | undefined
    coverage: ChainCoverage
    now: UnixMs
    urls: Pick<ReceiptDetail, 'paymentUrl' | 'receiptUrl' | 'privateReceiptUrl'>
  },
): ReceiptDetail {
  const { history, deliveries, refunds, telemetry, split, coverage, now, urls } = around
  return {
    ...viewListItem(receipt, now),
    jurisdictionCode: receipt.tax?.jurisdictionCode ?? null,
    taxRate: receipt.tax?.taxRate ?? null,
    taxComponents: [...(receipt.tax?.taxComponents ?? [])],
    transactionHash: receipt.transactionHash ?? null,
    transactionTimestamp: receipt.transactionAt ?? null,
    billingAddress: receipt.billing ? { ...emptyBilling, ...receipt.billing } : null,
    customerTotalUsd: writeCents(customerTotalCents(receipt)),
    payment: viewPayment(receipt, coverage),
    ...viewProvider(receipt),
    timeline: viewTimeline(history, deliveries),
    timelineOmitted: countLeftOut(receipt.historyCount),
    refunds: refunds.map(viewRefund),
    telemetry: telemetry.map(({ count, ...reported }) => ({ ...reported, count: Number(count) })),
    split: split ? { address: split.address, version: Number(split.version) } : null,
    metadata: receipt.metadata ?? null,
    transactionId: receipt.transactionId ?? null,
    expiresAt: receipt.expiresAt ?? null,
    cancelledAt: receipt.cancelledAt ?? null,
    providerEmail: receipt.providerEmail ?? null,
    ...urls,
  }
}

export function withoutBuyer(detail: ReceiptDetail): ReceiptDetail {
  return { ...detail, billingAddress: null, providerEmail: null, metadata: null, privateReceiptUrl: null }
}

/**
 * Returns the response of GET /api/receipts/status. Amounts are in the receipt's currency if unpaid, in the
 * token if paid.
 */
export function viewStatus(receipt: Receipt): ReceiptStatusResponse {
  const isPaid = receipt.token !== undefined && receipt.paidUnits !== undefined && receipt.status !== 'failed'
  const money = isPaid
    ? {
        currency: receipt.token ?? '',
        amount: writeTokenAmount(receipt.paidUnits ?? (0n as TokenUnits), decimalsOf(receipt)),
        amountRaw: (receipt.paidUnits ?? 0n).toString(),
      }
    : { currency: receipt.currency, amount: writeCents(receipt.nativeTotalCents ?? receipt.totalCents) }
  return {
    id: receipt.id,
    status: receipt.status,
    ...money,
    transactionHash: receipt.transactionHash ?? null,
    ...(receipt.providerSession && viewProvider(receipt)),
    ...(receipt.status === 'failed' ? (receipt.failure ?? noFailure) : noFailure),
  }
}

function viewProvider(receipt: Receipt) {
  const sourceCents = receipt.providerSession?.sourceCents
  return {
    ...viewProviderSession(receipt),
    ...(sourceCents !== undefined && { providerSourceAmountUsd: writeCents(sourceCents) }),
  }
}

function viewPricing(pricing: Pricing): NonNullable<ReceiptListItem['pricing']> {
  const { usdPerUnit, ...valuation } = pricing.valuation
  return {
    valuation: { ...valuation, usdPerUnit: Number(formatUnits(usdPerUnit, 8)) },
    originalTotal: writeCents(pricing.originalTotal),
    originalLineItems: pricing.originalLines.map((line) => ({
      label: line.label,
      amount: writeCents(line.nativeCents),
      ...(line.qty !== undefined && { qty: line.qty }),
    })),
  }
}

export function viewPayment(receipt: Receipt, coverage: ChainCoverage): ReceiptDetail['payment'] {
  const { payment } = receipt
  const decimals = payment?.decimals ?? 0
  const amount = (units: bigint | undefined) => writeTokenAmount((units ?? 0n) as TokenUnits, decimals)
  const raw = (units: bigint | undefined) => (units ?? 0n).toString()
  const above = payment?.blockNumber === undefined ? undefined : coverage.latest - payment.blockNumber + 1n
  return {
    state: payment?.state ?? 'none',
    provenBy: proofOf(receipt) ?? null,
    token: payment?.token ?? null,
    due: amount(payment?.due),
    dueRaw: raw(payment?.due),
    received: amount(payment?.received),
    receivedRaw: raw(payment?.received),
    missing: amount(payment?.missing),
    missingRaw: raw(payment?.missing),
    excess: amount(payment?.excess),
    excessRaw: raw(payment?.excess),
    otherTokens: (payment?.others ?? []).map(({ token, units, decimals }) => ({
      token,
      amount: writeTokenAmount(units, decimals),
      amountRaw: units.toString(),
    })),
    delivery: openDelivery(receipt) ?? null,
    creditedUsd: writeCents(payment?.creditedCents ?? (0n as Cents)),
    confirmations: above !== undefined && above > 0n ? Number(above) : 0,
    finality: payment?.finality ?? 'none',
    coverage: {
      blockNumber: coverage.scanned === undefined ? null : Number(coverage.scanned),
      scannedTo: coverage.scannedTo ?? null,
    },
  }
}

export function viewRefund(refund: Refund): RefundView {
  return {
    id: refund.id,
    kind: refund.kind,
    usd: writeCents(refund.usdCents ?? (0n as Cents)),
    buyer: refund.buyer ?? null,
    items: [...(refund.items ?? [])],
    txHash: refund.txHash ?? null,
    mark: refund.mark ?? null,
    error: refund.error ?? null,
    isCounted: isCounted(refund),
    by: refund.madeBy,
    createdAt: refund.madeAt,
  }
}

/** Returns the decimals of the token that paid the receipt, as its payments state them. */
function decimalsOf({ token, payment }: Receipt): number {
  const paid = payment && [payment, ...payment.others].find((each) => each.token === token)
  return paid?.decimals ?? tokenKinds.find(({ symbol }) => symbol === token)?.decimals ?? 0
}

const emptyBilling = {
  firstName: '',
  lastName: '',
  phone: '',
  email: '',
  line1: '',
  line2: '',
  city: '',
  state: '',
  zip: '',
  country: '',
}
