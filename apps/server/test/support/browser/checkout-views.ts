import type { AttemptView, CheckoutView } from '@sluice/protocol/api/checkout.ts'

export type ViewChanges = Partial<Omit<CheckoutView, 'payment' | 'attempt'>> & {
  readonly payment?: Partial<CheckoutView['payment']>
  readonly attempt?: AttemptView | null
}

export const addresses = {
  merchant: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  split: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  deposit: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  usdc: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  native: '0x0000000000000000000000000000000000000000',
} as const

export const tokens: CheckoutView['tokens'] = [
  { symbol: 'USDC', name: 'USD Coin', decimals: 6, address: addresses.usdc, estimate: '25000000' },
  { symbol: 'ETH', name: 'Ether', decimals: 18, address: addresses.native, estimate: '8334000000000000' },
]

/** Returns an offer for 25 dollars in `symbol`, valid for 15 minutes from `now`. */
export function makeAttempt(symbol: string, now: number, changes: Partial<AttemptView> = {}): AttemptView {
  const isNative = symbol === 'ETH'
  const amount = changes.remaining ?? (isNative ? '8334000000000000' : '25000000')
  const pay = { kind: 'pay' as const, chainId: 31337, to: addresses.split, data: '0x1234', value: '0x0' }
  return {
    attemptId: `attempt-${symbol}`,
    token: symbol,
    amount,
    remaining: amount,
    rate: { usdPerUnit: isNative ? 3000 : 1, quotedAt: now, provider: 'fixed' },
    expiresAt: now + 900_000,
    reference: `0x${'ab'.repeat(32)}`,
    payTo: addresses.split,
    depositAddress: addresses.deposit,
    calls: isNative
      ? [{ ...pay, value: `0x${BigInt(amount).toString(16)}` }]
      : [{ kind: 'approve', chainId: 31337, to: addresses.usdc, data: '0x095ea7b3', value: '0x0' }, pay],
    eip681: isNative
      ? `ethereum:${addresses.deposit}@31337?value=${amount}`
      : `ethereum:${addresses.usdc}@31337/transfer?address=${addresses.deposit}&uint256=${amount}`,
    ...changes,
  }
}

export function makeView(now: number, changes: ViewChanges = {}): CheckoutView {
  return {
    receiptId: 'R-7ZQ4M0T5XKJ2W9C8VB6NPHD3FG',
    recipient: addresses.merchant,
    brandName: 'Harbour Coffee Roasters',
    status: 'pending',
    currency: 'USD',
    totalUsd: 25,
    feeUsd: 0,
    customerTotalUsd: 25,
    lineItems: [
      { label: 'Ethiopia Guji, 250 g', priceUsd: 18, qty: 2 },
      { label: 'Paper filters', priceUsd: 5.5 },
      { label: 'Tax', priceUsd: 1.5 },
    ],
    createdAt: now,
    expiresAt: null,
    chain: { id: 31337, name: 'Local chain', explorerUrl: 'https://explorer.example' },
    tokens,
    canPay: true,
    isWithinLimits: true,
    cancelledAt: null,
    failure: null,
    unmatched: [],
    refunds: [],
    refundedUsd: 0,
    returnUrl: null,
    signableTokens: [],
    permit2Tokens: [],
    signedPayment: null,
    hasOnSuccess: false,
    onramp: null,
    shopUrl: null,
    transactionHash: null,
    ...changes,
    attempt: changes.attempt ?? null,
    payment: {
      state: 'none',
      provenBy: null,
      token: null,
      decimals: 6,
      due: '0',
      received: '0',
      missing: '0',
      excess: '0',
      otherTokens: [],
      confirmations: 0,
      requiredConfirmations: 0,
      finality: 'none',
      transactionHash: null,
      payer: null,
      ...changes.payment,
    },
  }
}

export const paymentHash = `0x${'5e'.repeat(32)}`

export const refundHash = `0x${'f0'.repeat(32)}`

export function paidAs(state: string, payment: Partial<CheckoutView['payment']> = {}): ViewChanges {
  const [due, received] = ['25000000', '25000000']
  const full = { token: 'USDC', decimals: 6, due, received, transactionHash: paymentHash }
  return { payment: { ...full, state, ...payment } }
}

export const pendingView = paidAs('seen', { confirmations: 1, requiredConfirmations: 3 })

export const paidView: ViewChanges = { status: 'paid', transactionHash: paymentHash, ...paidAs('paid') }

/** Returns a receipt with a partial payment: 9.999999 USDC are missing. */
export const shortView = (now: number): ViewChanges => ({
  attempt: makeAttempt('USDC', now, { amount: '25000000', remaining: '9999999' }),
  ...paidAs('short', { received: '15000001', missing: '9999999' }),
})
