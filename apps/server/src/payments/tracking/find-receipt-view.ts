import { type Cents, formatUnits, writeCents } from '@sluice/protocol/money.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import type { Chain } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { customerTotalCents, type Receipt, type ReceiptLine } from '../../receipts/receipt.ts'
import { countedCents, isCounted, type Refund } from '../../receipts/refunds/refund.ts'
import { listRefunds } from '../../receipts/refunds/store.ts'
import { opensReceipt } from '../../receipts/viewing/private-link.ts'
import { type Asked, getPayableReceipt } from '../checkout/find-checkout.ts'
import { findTracker } from './find-money.ts'
import type { BuyerData, ListedStatus, ReceiptPayment, ReceiptRefund, ReceiptView } from './receipt-view.ts'
import { listShownPayments, type ShownPayment } from './store.ts'

type ReceiptViewNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly chain: Chain
  readonly secrets: Secrets
}

type ReceiptAsked = Asked & { readonly access: string | undefined }

const shownPayments = 20

/**
 * Returns the content of the receipt page. Only a valid signed link includes the buyer's data.
 *
 * An invalid link gives no hint that more data exists.
 *
 * @throws {ApiError} `not_found`, also for another merchant's or brand's receipt.
 */
export async function findReceiptView(
  needs: ReceiptViewNeeds,
  id: string,
  asked: ReceiptAsked,
): Promise<ReceiptView> {
  const { db, chain, secrets, clock } = needs
  const receipt = await getPayableReceipt(needs, id, asked)
  const { merchant, id: receiptId } = receipt
  const place = { merchant, chain: chain.id, receiptId }
  const [{ payments, count }, refunds, tracker] = await Promise.all([
    listShownPayments(db, place, shownPayments),
    listRefunds(db, merchant, receiptId),
    findTracker(needs, receipt),
  ])
  const isOpened = asked.access !== undefined && opensReceipt(secrets, receipt, asked.access, clock.now())
  return {
    receiptId,
    recipient: merchant,
    brandKey: receipt.brandKey,
    brandName: receipt.brandName,
    standing: evaluateDisplayStatus(receipt, refunds),
    createdAt: receipt.createdAt,
    paidAt: isSettled(receipt.status) ? (receipt.transactionAt ?? null) : null,
    currency: receipt.currency,
    ...viewLines(receipt),
    valuation: viewValuation(receipt),
    chain: { name: chain.name, explorerUrl: chain.explorerUrl ?? null },
    payments: payments.map(viewPayment),
    paymentsOmitted: count - payments.length,
    tracker,
    refunds: refunds.flatMap(viewRefund),
    buyer: isOpened ? viewBuyer(receipt) : null,
  }
}

function evaluateDisplayStatus(receipt: Receipt, refunds: readonly Refund[]): ListedStatus {
  const { status, payment } = receipt
  if (status === 'paid - ach pending') return 'bank-pending'
  if (!isSettled(status)) return receipt.cancelledAt === undefined ? 'unpaid' : 'cancelled'
  if (status === 'refunded') return 'refunded'
  if (payment?.state === 'orphaned') return 'reversed'
  if (status === 'refund_requested') return 'refund-requested'
  return countedCents(refunds) > 0n ? 'partly-refunded' : 'paid'
}

function viewPayment(payment: ShownPayment): ReceiptPayment {
  const { txHash, blockHash, token, units, rate, quotedAt, provider, at, isLate, isReversed } = payment
  return {
    at,
    isLate,
    isReversed,
    payer: payment.payer ?? null,
    transactionHash: txHash === blockHash ? null : txHash,
    amount: units.toString(),
    token: token.symbol,
    tokenAddress: token.address,
    decimals: token.decimals,
    rate: { unit: token.symbol, usdPerUnit: Number(formatUnits(rate, 8)), quotedAt, provider },
  }
}

/** Omits transactions that are not refunds, and missing transactions. */
function viewRefund(refund: Refund): ReceiptRefund[] {
  const { kind, usdCents, txHash, error, madeAt } = refund
  if (kind === 'unmatched' || error !== undefined || usdCents === undefined) return []
  const state = txHash === undefined ? 'recorded' : isCounted(refund) ? 'confirmed' : 'sent'
  return [{ kind, usd: writeCents(usdCents), transactionHash: txHash ?? null, state, at: madeAt }]
}

function viewValuation({ pricing }: Receipt) {
  if (!pricing || pricing.valuation.currency === 'USD') return null
  const { currency, usdPerUnit, quotedAt, provider } = pricing.valuation
  return { unit: currency, usdPerUnit: Number(formatUnits(usdPerUnit, 8)), quotedAt, provider }
}

/** Only the tax line of an order or the point of sale is shown as tax. A caller may name any line `Tax`. */
function viewLines(receipt: Receipt): Pick<ReceiptView, 'lines' | 'tax' | 'totals'> {
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

const taxLabel = 'Tax'

function amountOf(line: ReceiptLine): Cents {
  return line.nativeCents ?? line.usdCents
}

function viewBuyer({ billing = {}, providerEmail }: Receipt): BuyerData | null {
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
