import type { RelayFault } from '../relaying/authorization.ts'

/**
 * The protocol's words for what is wrong with a payment: those of its reference implementation for the scheme `exact`
 * on EVM chains, which official clients know, and of the specification (section 9) for all else.
 */
export const paymentFaults = {
  malformed: 'invalid_payload',
  version: 'invalid_x402_version',
  scheme: 'unsupported_scheme',
  requirements: 'invalid_payment_requirements',
  payloadType: 'unsupported_payload_type',
  network: 'invalid_exact_evm_network_mismatch',
  recipient: 'invalid_exact_evm_recipient_mismatch',
  amount: 'invalid_exact_evm_payload_authorization_value_mismatch',
  expired: 'invalid_exact_evm_payload_authorization_valid_before',
  notYetValid: 'invalid_exact_evm_payload_authorization_valid_after',
  signature: 'invalid_exact_evm_signature',
  funds: 'invalid_exact_evm_insufficient_balance',
  nonceUsed: 'invalid_exact_evm_nonce_already_used',
  simulation: 'invalid_exact_evm_transaction_simulation_failed',
  reverted: 'invalid_exact_evm_transaction_failed',
  pending: 'settlement_pending',
  settle: 'unexpected_settle_error',
} as const

/** One of the protocol's words. */
export type PaymentFault = (typeof paymentFaults)[keyof typeof paymentFaults]

/** Why a payment is not taken: the protocol's word, and the same for people. */
export type RefusedPayment = { readonly reason: PaymentFault; readonly message: string }

/** Why a signature is not submitted, in the protocol's words. */
export function refusalOf(fault: RelayFault): RefusedPayment {
  const [word, message] = refusals[fault]
  return { reason: paymentFaults[word], message }
}

const offerGone = 'The offer that was signed for no longer stands; what is asked now is in PAYMENT-REQUIRED'

const refusals: Readonly<Record<RelayFault, readonly [keyof typeof paymentFaults, string]>> = {
  relayer_unavailable: ['settle', 'Signatures are not submitted at the moment; nothing was charged'],
  token_not_supported: ['requirements', 'This token is not paid by a signature'],
  attempt_unknown: ['recipient', 'The recipient is no address of this receipt'],
  attempt_closed: ['requirements', offerGone],
  amount_too_small: ['requirements', 'The amount is too small to be paid by a signature'],
  recipient_mismatch: ['recipient', 'The signed recipient is not the payTo of the requirements'],
  amount_mismatch: ['amount', 'The signed value is not the amount asked for, exactly'],
  not_yet_valid: ['notYetValid', 'The authorization is not valid yet'],
  authorization_expired: ['expired', 'The authorization has expired, or is about to'],
  validity_too_long: ['expired', 'The authorization is valid for too long: an hour is enough'],
  signature_invalid: ['signature', 'The signature is not the payer’s'],
  account_not_deployed: ['signature', 'The payer’s account is not deployed yet'],
  authorization_used: ['nonceUsed', 'The nonce is used already'],
  insufficient_funds: ['funds', 'The payer does not have the amount'],
  not_approved: ['funds', 'The payer has not approved the amount'],
  transfer_rejected: ['simulation', 'The token rejects the transfer'],
  gas_too_expensive: ['settle', 'Gas is too expensive at the moment; nothing was charged'],
  payer_blocked: ['settle', 'Too many payments of this payer failed; pay by a transaction of your own'],
  payment_under_way: ['pending', 'Another payment of this receipt is being settled; nothing was charged'],
  payer_busy: ['pending', 'Another payment of this payer is being settled; nothing was charged'],
  already_paid: ['requirements', 'This receipt is paid already; nothing was charged'],
  too_many: ['settle', 'Too many payments of this receipt failed; pay by a transaction of your own'],
  reverted: ['reverted', 'The transfer was reverted; nothing was charged'],
}
