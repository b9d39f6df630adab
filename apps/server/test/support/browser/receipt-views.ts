import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { ClaimCase } from '../../../src/payments/claims/find-case.ts'
import type { ClaimablePayment } from '../../../src/payments/claims/find-claimable.ts'
import type { ReceiptPayment, ReceiptView } from '../../../src/payments/tracking/receipt-view.ts'
import type { MoneyTracker, TrackedStep } from '../../../src/payments/tracking/track-money.ts'
import { addresses } from './checkout-views.ts'

const at = Date.UTC(2025, 10, 21, 8, 1)
export const transactionHash = `0x${'7d2f40c1'.repeat(8)}`
const platform = '0x3f1Eae7D46d88F08fc2F8ed27FCb2AB183EB2d0E' as Wallet
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' as Wallet
const payer = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const chain = { name: 'Base', explorerUrl: 'https://basescan.org' }

export const madePayment: ReceiptPayment = {
  transactionHash,
  payer,
  amount: '93000000',
  token: 'USDC',
  tokenAddress: usdc,
  decimals: 6,
  at,
  isLate: false,
  isReversed: false,
  rate: { unit: 'USDC', usdPerUnit: 1, quotedAt: at - 90_000, provider: 'median' },
}

export const madeBuyer: NonNullable<ReceiptView['buyer']> = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  phone: '+44 20 7946 0000',
  address: ['12 St James Square', 'SW1Y 4LB London', 'GB'],
}

export function makeTracker(
  states: readonly TrackedStep['state'][],
  partState: 'waiting' | 'released' | 'held' = 'released',
): MoneyTracker {
  const names = ['received', 'confirmed', 'final', 'passed-on'] as const
  const isReleased = partState !== 'waiting'
  const part = (address: Wallet, sharesBps: number, units: bigint) => ({
    token: usdc,
    state: partState,
    transactionHash: isReleased ? transactionHash : null,
    address,
    sharesBps,
    isPlatform: address === platform,
    units: isReleased ? units : null,
  })
  return {
    steps: names.map((step, i) => ({
      step,
      state: states[i] ?? 'waiting',
      at: states[i] === 'done' && step !== 'final' ? ((at + i * 60_000) as TrackedStep['at']) : null,
    })),
    parts: [part(addresses.merchant as Wallet, 9_950, 92_535_000n), part(platform, 50, 465_000n)],
  }
}

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
    chain,
    payments: [madePayment],
    paymentsOmitted: 0,
    tracker: makeTracker(['done', 'done', 'done', 'done']),
    refunds: [],
    buyer: null,
    ...changes,
  }
}

export function makeLines(count: number): ReceiptView['lines'] {
  return Array.from({ length: count }, (_, i) => ({
    label: `Roasted coffee beans, house blend no. ${i + 1}`,
    qty: (i % 3) + 1,
    amount: 12.5 + i,
  }))
}

export const caseNumber = 'C-7QWZ0D8V3M5N1K9B2X4T6Y8R0J'

export function makeClaimable(changes: Partial<ClaimablePayment> = {}): ClaimablePayment {
  return {
    transactionHash,
    logIndex: 4,
    token: 'USDC',
    tokenName: null,
    tokenAddress: usdc,
    decimals: 6,
    amount: '64500000',
    payer,
    to: addresses.deposit,
    at,
    ...changes,
  }
}

export function makeCase(changes: Partial<ClaimCase> = {}): ClaimCase {
  return {
    id: caseNumber,
    state: 'open',
    isProven: true,
    refundAddress: payer,
    madeAt: at + 3_600_000,
    payment: makeClaimable(),
    decidedAt: null,
    refund: null,
    chain,
    ...changes,
  }
}
