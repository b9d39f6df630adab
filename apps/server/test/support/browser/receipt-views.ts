import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { ReceiptPayment, ReceiptView } from '../../../src/payments/tracking/receipt-view.ts'
import type { MoneyTracker, TrackedStep } from '../../../src/payments/tracking/track-money.ts'
import { addresses } from './checkout-views.ts'

const at = Date.UTC(2025, 10, 21, 8, 1)
const hash = `0x${'7d2f40c1'.repeat(8)}`
const platform = '0x3f1Eae7D46d88F08fc2F8ed27FCb2AB183EB2d0E' as Wallet
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' as Wallet

/** A payment as the page is given it. */
export const madePayment: ReceiptPayment = {
  transactionHash: hash,
  payer: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  amount: '93000000',
  token: 'USDC',
  tokenAddress: usdc,
  decimals: 6,
  at,
  isLate: false,
  isReversed: false,
  rate: { unit: 'USDC', usdPerUnit: 1, quotedAt: at - 90_000, provider: 'median' },
}

/** A buyer as the private link shows him. */
export const madeBuyer: NonNullable<ReceiptView['buyer']> = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  phone: '+44 20 7946 0000',
  address: ['12 St James Square', 'SW1Y 4LB London', 'GB'],
}

/** A tracker with its steps in these states. */
export function makeTracker(
  states: readonly TrackedStep['state'][],
  partState: 'waiting' | 'released' | 'held' = 'released',
): MoneyTracker {
  const names = ['received', 'confirmed', 'final', 'passed-on'] as const
  const part = { token: usdc, state: partState, transactionHash: partState === 'waiting' ? null : hash }
  const units = (value: bigint) => (partState === 'waiting' ? null : value)
  return {
    steps: names.map((step, i) => ({
      step,
      state: states[i] ?? 'waiting',
      at: states[i] === 'done' && step !== 'final' ? ((at + i * 60_000) as TrackedStep['at']) : null,
    })),
    parts: [
      {
        ...part,
        address: addresses.merchant as Wallet,
        sharesBps: 9_950,
        isPlatform: false,
        units: units(92_535_000n),
      },
      { ...part, address: platform, sharesBps: 50, isPlatform: true, units: units(465_000n) },
    ],
  }
}

/** A paid receipt over two things, changed where a test says so. */
export function makeReceiptView(changes: Partial<ReceiptView> = {}): ReceiptView {
  return {
    receiptId: 'R-4821',
    recipient: addresses.merchant,
    brandKey: 'service',
    brandName: 'Nordlys Coffee',
    standing: 'paid',
    createdAt: at - 120_000,
    paidAt: at,
    currency: 'USD',
    lines: [
      { label: 'Ethiopia Guji, 1 kg', qty: 2, amount: 64 },
      { label: 'Ceramic dripper', qty: null, amount: 22.5 },
    ],
    tax: { amount: 6.5, rate: 0.075, jurisdictionCode: 'US-CA' },
    totals: { total: 93, totalUsd: 93, feeUsd: 0, customerTotalUsd: 93 },
    valuation: null,
    chain: { name: 'Base', explorerUrl: 'https://basescan.org' },
    payments: [madePayment],
    paymentsOmitted: 0,
    tracker: makeTracker(['done', 'done', 'done', 'done']),
    refunds: [],
    buyer: null,
    ...changes,
  }
}

/** So many lines, as a shop writes them. */
export function makeLines(count: number): ReceiptView['lines'] {
  return Array.from({ length: count }, (_, i) => ({
    label: `Roasted coffee beans, house blend no. ${i + 1}`,
    qty: (i % 3) + 1,
    amount: 12.5 + i,
  }))
}
