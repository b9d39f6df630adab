import {
  authorizationMessage,
  permit2Message,
  permitMessage,
  type SignatureSubmission,
  type SignedPaymentView,
} from '@sluice/protocol/api/paying/signed-payments.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { Compile } from 'typebox/compile'
import type { Hex } from '../../chain/chain.ts'
import { ApiError, type Issue, invalidInput } from '../../kernel/api-error.ts'
import { assert } from '../../kernel/assert.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import type { RelayError } from '../relaying/authorization.ts'
import { readPermit } from '../relaying/permit.ts'
import { readPermit2 } from '../relaying/permit2.ts'
import {
  type SubmitNeeds,
  type SubmittedAuthorization,
  submitAuthorization,
} from '../relaying/submit-authorization.ts'
import { viewSignedPayment } from './view-checkout.ts'

const isPermit = Compile(permitMessage)
const isPermit2 = Compile(permit2Message)
const isAuthorization = Compile(authorizationMessage)

const endOfTime = 100_000_000_000n
const endOfWords = 2n ** 256n

/**
 * Accepts a buyer's signature for a receipt. Safe to repeat while the payment is pending.
 *
 * @throws {ApiError} as {@link refuseSignature}.
 * @throws {ChainUnavailable}
 */
export async function submitSignature(
  needs: SubmitNeeds,
  { merchant, id: receiptId }: Receipt,
  { attemptId, authorization, payer, signature }: SignatureSubmission,
): Promise<SignedPaymentView> {
  const outcome = await submitAuthorization(needs, {
    merchant,
    receiptId,
    attemptId,
    ...readMessage(authorization, payer, needs.chain.pullFactory),
    signature: signature.toLowerCase() as Hex,
  })
  if (outcome.kind === 'refused') throw refuseSignature(outcome.reason)
  return viewSignedPayment(outcome.relay)
}

function readMessage(
  sent: SignatureSubmission['authorization'],
  payer: string | undefined,
  pullFactory: Wallet | undefined,
): Pick<SubmittedAuthorization, 'way' | 'authorization' | 'permitNonce'> {
  if (isPermit2.Check(sent)) {
    if (payer === undefined) throw invalidInput({ path: 'payer', message: 'must be the wallet that signed' })
    const message = {
      permitted: { token: addressOf(sent.permitted.token), amount: wordOf('amount', sent.permitted.amount) },
      spender: addressOf(sent.spender),
      nonce: wordOf('nonce', sent.nonce),
      deadline: secondsOf('deadline', sent.deadline),
      witness: { to: addressOf(sent.witness.to) },
    }
    return { way: 'permit2', authorization: readPermit2(addressOf(payer), message, pullFactory) }
  }
  if (isPermit.Check(sent)) {
    const permitNonce = wordOf('nonce', sent.nonce)
    const authorization = readPermit({
      owner: addressOf(sent.owner),
      spender: addressOf(sent.spender),
      value: BigInt(sent.value),
      nonce: permitNonce,
      deadline: secondsOf('deadline', sent.deadline),
    })
    return { way: 'permit', authorization, permitNonce }
  }
  assert(isAuthorization.Check(sent), 'the schema admits one of the three kinds')
  const authorization = {
    from: addressOf(sent.from),
    to: addressOf(sent.to),
    value: BigInt(sent.value),
    validAfter: secondsOf('validAfter', sent.validAfter),
    validBefore: secondsOf('validBefore', sent.validBefore),
    nonce: sent.nonce.toLowerCase() as Hex,
  }
  return { way: 'authorization', authorization }
}

function wordOf(name: string, text: string): bigint {
  const word = BigInt(text)
  if (word < endOfWords) return word
  throw invalidInput({ path: `authorization/${name}`, message: 'must be a number of at most 256 bits' })
}

function addressOf(text: string): Wallet {
  const wallet = parseWallet(text)
  assert(wallet, 'the schema admits only addresses')
  return wallet
}

function secondsOf(name: string, text: string): bigint {
  const seconds = BigInt(text)
  if (seconds <= endOfTime) return seconds
  throw invalidInput({ path: `authorization/${name}`, message: 'must be a time in Unix seconds' })
}

const issues: Readonly<Record<RelayError, Issue>> = {
  relayer_unavailable: { path: '', message: 'Signed payments are currently unavailable' },
  token_not_supported: { path: 'token', message: 'does not support signed payments' },
  attempt_unknown: { path: 'attemptId', message: 'is not an attempt of this receipt' },
  attempt_closed: { path: 'attemptId', message: 'has expired or is closed' },
  amount_too_small: { path: '', message: 'The amount of this receipt is too small for a signed payment' },
  recipient_mismatch: { path: 'authorization/to', message: 'must be the deposit address of the attempt' },
  amount_mismatch: { path: 'authorization/value', message: 'must be the amount still due for the attempt' },
  not_yet_valid: { path: 'authorization/validAfter', message: 'is in the future' },
  authorization_expired: {
    path: 'authorization/validBefore',
    message: 'has passed or is too soon',
  },
  validity_too_long: {
    path: 'authorization/validBefore',
    message: 'must be at most an hour ahead',
  },
  signature_invalid: { path: 'signature', message: 'is not a signature of this wallet over this message' },
  account_not_deployed: {
    path: 'authorization/from',
    message: 'is a smart account that is not deployed yet',
  },
  authorization_used: { path: 'authorization/nonce', message: 'has already been used' },
  insufficient_funds: { path: '', message: 'The wallet does not hold enough of the token' },
  not_approved: { path: '', message: 'The wallet has not approved Permit2 for this amount of the token' },
  transfer_rejected: { path: '', message: 'The token rejects this transfer' },
  gas_too_expensive: {
    path: '',
    message: 'Signed payments are currently unavailable because gas is too expensive',
  },
  payer_blocked: {
    path: 'authorization/from',
    message: 'had a signed payment that failed on the chain today',
  },
  payment_under_way: { path: '', message: 'A signed payment for this receipt is in progress' },
  payer_busy: {
    path: '',
    message:
      'Another signed payment of this wallet in this token is in progress; request a new message afterwards',
  },
  already_paid: { path: '', message: 'The full amount has already been sent' },
  too_many: { path: '', message: 'Too many signed payments for this receipt have failed' },
  reverted: { path: '', message: 'The transfer failed on the chain' },
}

/** Returns the error for a rejected signature. docs/gasless.md lists the values of `reason`. */
export function refuseSignature(reason: RelayError): ApiError {
  const issue = issues[reason]
  if (reason === 'payment_under_way') return new ApiError('attempt_open', issue.message, { reason })
  const { message, extras } = invalidInput(issue)
  return new ApiError('invalid_input', message, { ...extras, reason })
}
