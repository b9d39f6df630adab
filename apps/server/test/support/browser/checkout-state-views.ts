import { makeAttempt, type ViewChanges } from './checkout-views.ts'

/** The transaction of every payment here. */
export const paymentHash = `0x${'5e'.repeat(32)}`
/** The payment side of a receipt over 25 dollars that was paid in full. */
export const fullPayment = {
  token: 'USDC',
  decimals: 6,
  due: '25000000',
  received: '25000000',
  transactionHash: paymentHash,
}
/** It is in one block of three. */
export const pendingView: ViewChanges = {
  payment: { ...fullPayment, state: 'seen', confirmations: 1, requiredConfirmations: 3 },
}
/** It is paid in full. */
export const paidView: ViewChanges = {
  status: 'paid',
  transactionHash: paymentHash,
  payment: { ...fullPayment, state: 'paid' },
}
/** A little less than ten dollars are missing. */
export const shortView = (now: number): ViewChanges => ({
  attempt: makeAttempt('USDC', now, { amount: '25000000', remaining: '9999999' }),
  payment: { ...fullPayment, state: 'short', received: '15000001', missing: '9999999' },
})
/** The bank of the card said no. */
export const failure = {
  code: 'PORTAL_PAY_ISSUER_DECLINED',
  category: 'card_decline',
  providerRequestId: 'req_9sX2',
} as const
/** The transaction of every refund here. */
export const refundHash = `0x${'f0'.repeat(32)}`
/** What was sent back, in the order it was. */
export function refunds(...list: readonly (readonly [usd: number, isConfirmed: boolean])[]) {
  const confirmed = list.filter(([, isConfirmed]) => isConfirmed).map(([usd]) => usd)
  return {
    refunds: list.map(([usd, isConfirmed]) => ({
      usd,
      kind: 'price' as const,
      isConfirmed,
      transactionHash: refundHash,
    })),
    refundedUsd: confirmed.reduce((sum, usd) => sum + usd, 0),
  }
}

/** A payment that the buyer signed, as far as it came. */
export function signedPayment(state: 'sent' | 'failed') {
  return {
    state,
    reason: null as string | null,
    attemptId: 'attempt',
    payer: `0x${'12'.repeat(20)}`,
    amount: '25000000',
    transactionHash: paymentHash as string | null,
    createdAt: 0,
  }
}
