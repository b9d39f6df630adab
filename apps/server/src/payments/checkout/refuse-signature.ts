import { type Issue, invalidInput, Refusal } from '../../kernel/refusal.ts'
import type { RelayFault } from '../relaying/authorization.ts'

const issues: Readonly<Record<RelayFault, Issue>> = {
  relayer_unavailable: { path: '', message: 'Payments by signature are not available now' },
  token_not_supported: { path: 'token', message: 'cannot be paid by signature' },
  attempt_unknown: { path: 'attemptId', message: 'is not an attempt of this receipt' },
  attempt_closed: { path: 'attemptId', message: 'has expired or is closed' },
  amount_too_small: { path: '', message: 'This receipt is too small to be paid by signature' },
  recipient_mismatch: { path: 'authorization/to', message: 'must be the deposit address of the attempt' },
  amount_mismatch: { path: 'authorization/value', message: 'must be what the attempt still lacks' },
  not_yet_valid: { path: 'authorization/validAfter', message: 'lies in the future' },
  authorization_expired: {
    path: 'authorization/validBefore',
    message: 'has passed, or leaves too little time',
  },
  validity_too_long: {
    path: 'authorization/validBefore',
    message: 'must be at most an hour ahead',
  },
  signature_invalid: { path: 'signature', message: 'is not by this wallet over this message' },
  account_not_deployed: {
    path: 'authorization/from',
    message: 'is a smart account that is not deployed yet',
  },
  authorization_used: { path: 'authorization/nonce', message: 'has been used already' },
  insufficient_funds: { path: '', message: 'The wallet does not hold enough of the token' },
  not_approved: { path: '', message: 'The wallet has not approved Permit2 for so much of the token' },
  transfer_rejected: { path: '', message: 'The token rejects this transfer' },
  gas_too_expensive: {
    path: '',
    message: 'Payments by signature are not available now: gas is too expensive',
  },
  payer_blocked: { path: 'authorization/from', message: 'had a signed payment fail on the chain today' },
  payment_under_way: { path: '', message: 'A signed payment of this receipt is under way' },
  payer_busy: {
    path: '',
    message:
      'Another signed payment of this wallet in this token is under way: request a new message after it',
  },
  already_paid: { path: '', message: 'Enough has been sent already' },
  too_many: { path: '', message: 'Too many signed payments of this receipt have failed' },
  reverted: { path: '', message: 'The transfer failed on the chain' },
}

/** The answer to a signature that is not taken: its `reason` is one of those in docs/gasless.md. */
export function refuseSignature(reason: RelayFault): Refusal {
  const issue = issues[reason]
  if (reason === 'payment_under_way') return new Refusal('attempt_open', issue.message, { reason })
  const { message, extras } = invalidInput(issue)
  return new Refusal('invalid_input', message, { ...extras, reason })
}
