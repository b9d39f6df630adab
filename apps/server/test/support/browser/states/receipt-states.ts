import type { ReceiptView } from '../../../../src/payments/tracking/receipt-view.ts'
import { madeBuyer, madePayment, makeLines, makeTracker } from '../receipt-views.ts'
import type { PageState } from './page-state.ts'

const hash = `0x${'7d2f40c1'.repeat(8)}`
const refund = { kind: 'price', usd: 20, transactionHash: hash, at: Date.UTC(2025, 10, 24) } as const

/** A receipt in euros, with the fee that the buyer paid. */
export const euroReceipt: Partial<ReceiptView> = {
  currency: 'EUR',
  totals: { total: 80.4, totalUsd: 87.2, feeUsd: 0.44, customerTotalUsd: 87.64 },
  valuation: { unit: 'EUR', usdPerUnit: 1.0846, quotedAt: Date.UTC(2025, 10, 21, 8), provider: 'ecb' },
}

const unpaid = { payments: [], tracker: null, paidAt: null } as const

/** What each state of a paid receipt says, and its view. */
export const receiptViews: Readonly<Record<string, readonly [says: string, view: Partial<ReceiptView>]>> = {
  'receipt-paid': ['Paid', {}],
  'receipt-on-its-way': ['Becoming final', { tracker: makeTracker(['done', 'done', 'now'], 'waiting') }],
  'receipt-held': ['Passed on', { tracker: makeTracker(['done', 'done', 'done', 'done'], 'held') }],
  'receipt-reversed': [
    'Paid, under review',
    {
      standing: 'reversed',
      tracker: makeTracker(['done', 'stopped'], 'waiting'),
      payments: [{ ...madePayment, isReversed: true }],
    },
  ],
  'receipt-refund-requested': ['Refund requested', { standing: 'refund-requested' }],
  'receipt-partly-refunded': [
    'Partly refunded',
    { standing: 'partly-refunded', refunds: [{ ...refund, state: 'sent' }], ...euroReceipt },
  ],
  'receipt-refunded': [
    'Refunded',
    { standing: 'refunded', refunds: [{ ...refund, state: 'recorded', transactionHash: null }] },
  ],
  'receipt-private': ['Ada Lovelace', { buyer: madeBuyer }],
  'receipt-many-lines': ['no. 15', { lines: makeLines(15) }],
  'receipt-without-chain': ['Paid', { payments: [], tracker: null }],
  'receipt-several-payments': [
    'and 3 smaller payments',
    { payments: [madePayment, { ...madePayment, isLate: true, payer: null }], paymentsOmitted: 3 },
  ],
  'receipt-unpaid': ['not paid yet', { standing: 'unpaid', ...unpaid }],
  'receipt-bank-pending': ['bank', { standing: 'bank-pending', ...unpaid }],
}

/** Every state of the receipt's page. */
export const receiptStates: Readonly<Record<string, PageState>> = Object.fromEntries(
  Object.entries(receiptViews).map(([name, [says, view]]) => [
    name,
    { put: ({ pages }) => pages.put(`R-${name.slice('receipt-'.length)}`, view), says } satisfies PageState,
  ]),
)
