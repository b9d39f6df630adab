import type { CheckoutView } from '@sluice/protocol/api/checkout.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Translator } from '../messages/translator.ts'
import type { Checkout } from '../panels/load-checkout.ts'

/** The zero address: tokens reject transfers to it, so that no payment is possible. */
const nobody = '0x0000000000000000000000000000000000000000'
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const amount = '42500000'
const heldMs = 14 * 60_000

const payable = { canPay: true, isWithinLimits: true }
const notSignable = { signableTokens: [], permit2Tokens: [], signedPayment: null }

export function sampleCheckout(
  { t, now, siteUrl }: { readonly t: Translator; readonly now: UnixMs; readonly siteUrl: string },
  brandName: string,
): Checkout {
  const line = (label: string, priceUsd: number, qty = 1) => ({ label, priceUsd, qty })
  const view: CheckoutView = {
    receiptId: 'preview',
    recipient: nobody,
    brandName,
    status: 'pending',
    currency: 'USD',
    totalUsd: 42.5,
    feeUsd: 0,
    customerTotalUsd: 42.5,
    lineItems: [
      line(t.text('preview.first'), 18),
      line(t.text('preview.second'), 21, 2),
      line(t.text('preview.tax'), 3.5),
    ],
    createdAt: now,
    expiresAt: null,
    chain: { id: 8453, name: 'Base', explorerUrl: 'https://basescan.org' },
    tokens: [
      { symbol: 'USDC', name: 'USD Coin', decimals: 6, address: usdc, estimate: amount },
      { symbol: 'USDT', name: 'Tether USD', decimals: 6, address: nobody, estimate: amount },
    ],
    ...payable,
    attempt: {
      attemptId: 'preview',
      token: 'USDC',
      amount,
      remaining: amount,
      rate: { usdPerUnit: 1, quotedAt: now, provider: 'chainlink' },
      expiresAt: now + heldMs,
      reference: `0x${'0'.repeat(64)}`,
      payTo: nobody,
      depositAddress: nobody,
      calls: [],
      eip681: siteUrl,
    },
    payment: {
      state: 'awaiting',
      provenBy: null,
      token: 'USDC',
      decimals: 6,
      due: amount,
      received: '0',
      missing: amount,
      excess: '0',
      otherTokens: [],
      confirmations: 0,
      requiredConfirmations: 12,
      finality: 'none',
      transactionHash: null,
      payer: null,
    },
    unmatched: [],
    failure: null,
    cancelledAt: null,
    refunds: [],
    refundedUsd: 0,
    returnUrl: null,
    ...notSignable,
    hasOnSuccess: false,
    onramp: null,
    shopUrl: null,
    transactionHash: null,
  }
  return { view, panel: 'pay', now }
}
