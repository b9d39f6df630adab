import { createHash } from 'node:crypto'
import type { Checkout } from '../panels/load-checkout.ts'
import type { LiveStatus } from './island-data.ts'

/**
 * The status of a checkout in a few bytes.
 *
 * Offers are left out of the version: one opened in another tab, or a quote that runs out (the page
 * has its own timer), must not take the panel out of a buyer's hands in the middle of a payment.
 */
export function liveStatus({ view, panel }: Checkout): LiveStatus {
  const { payment } = view
  const isOpen = ['none', 'awaiting', 'expired'].includes(payment.state)
  const money = isOpen ? null : [payment.state, payment.received, payment.missing, payment.excess]
  const { failure, refunds, cancelledAt, returnUrl, transactionHash, unmatched } = view
  const { state: signed, transactionHash: signedHash } = view.signedPayment ?? {}
  const rest = [failure, refunds, cancelledAt, returnUrl, transactionHash, payment.transactionHash, unmatched]
  // Nothing where nothing was signed, so that what pages hold from before stays true.
  if (signed) rest.push(signed, signedHash ?? null)
  if (view.onramp?.session) rest.push(view.onramp.session)
  if (view.onramp?.methods.length === 0) rest.push('confirming')
  return {
    version: createHash('sha256')
      .update(JSON.stringify([view.status, view.canPay, money, ...rest]))
      .digest('base64url')
      .slice(0, 12),
    panel,
    confirmations: payment.confirmations,
    requiredConfirmations: payment.requiredConfirmations,
  }
}
