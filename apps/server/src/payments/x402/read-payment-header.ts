import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { x402ExactPayload, x402PaymentPayload, x402Version } from '@sluice/protocol/x402/messages.ts'
import type { Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Hex } from '../../chain/chain.ts'
import { ApiError } from '../../kernel/api-error.ts'
import { readJson } from '../../kernel/read-json.ts'
import { issuesOf } from '../../kernel/text/schema-issues.ts'
import type { RelayError } from '../relaying/authorization.ts'

/** Maximum header size. A smart account's signature takes a few kilobytes. */
export const maxPaymentHeaderBytes = 8 * 1024

export type SignedAuthorization = {
  readonly from: Wallet
  readonly to: Wallet
  readonly value: bigint
  /** Unix seconds. */
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
  readonly signature: Hex
}

export type SentPayment = {
  readonly accepted: Static<typeof x402PaymentPayload>['accepted']
  readonly authorization: SignedAuthorization | undefined
}

const anyPayload = Compile(x402PaymentPayload)
const exactPayload = Compile(x402ExactPayload)

/**
 * Parses the PAYMENT-SIGNATURE header. Pure, and bounded in bytes and depth.
 *
 * @param header - Node.js joins repeated headers with commas, which is invalid base64.
 */
export function readPaymentHeader(header: string): SentPayment | RefusedPayment {
  if (header.length > maxPaymentHeaderBytes) return malformed(`is longer than ${maxPaymentHeaderBytes} bytes`)
  const sent = decode(header)
  if (typeof sent !== 'object' || sent === null) return malformed('must be a JSON object, base64-encoded')
  const { x402Version: version } = sent as { x402Version?: unknown }
  if (version !== x402Version)
    return { reason: paymentErrors.version, message: `This service supports version ${x402Version} of x402` }
  if (!anyPayload.Check(sent)) return malformed(`is not a payment: ${errorOf(anyPayload, sent)}`)
  const { accepted, payload } = sent
  if (!('authorization' in payload)) return { accepted, authorization: undefined }
  if (!exactPayload.Check(payload))
    return malformed(`is not an EIP-3009 authorization: payload/${errorOf(exactPayload, payload)}`)
  const authorization = readAuthorization(payload)
  if (!authorization) return malformed('is not an EIP-3009 authorization: a number is above 2^256')
  return { accepted, authorization }
}

function decode(header: string): unknown {
  if (header.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(header)) return undefined
  try {
    return readJson(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'base64')))
  } catch (error) {
    if (error instanceof ApiError || error instanceof TypeError) return undefined
    throw error
  }
}

function readAuthorization({
  authorization,
  signature,
}: Static<typeof x402ExactPayload>): SignedAuthorization | undefined {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const [payer, payee] = [parseWallet(from), parseWallet(to)]
  const numbers = { value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) }
  const isTooLarge = Object.values(numbers).some((number) => number >= 2n ** 256n)
  if (!payer || !payee || isTooLarge) return undefined
  const lower = (hex: string) => hex.toLowerCase() as Hex
  return { from: payer, to: payee, ...numbers, nonce: lower(nonce), signature: lower(signature) }
}

function errorOf(check: typeof anyPayload | typeof exactPayload, value: unknown): string {
  const [first] = issuesOf(check.Errors(value))
  return first ? `${first.path} ${first.message}` : 'it has the wrong format'
}

function malformed(what: string): RefusedPayment {
  return { reason: paymentErrors.malformed, message: `PAYMENT-SIGNATURE ${what}` }
}

/**
 * Error codes of x402: those of the reference implementation for `exact` on EVM, otherwise those of section
 * 9.
 */
export const paymentErrors = {
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

type PaymentError = (typeof paymentErrors)[keyof typeof paymentErrors]

export type RefusedPayment = { readonly reason: PaymentError; readonly message: string }

export function apiErrorOf(reason: RelayError): RefusedPayment {
  const [word, message] = apiErrors[reason]
  return { reason: paymentErrors[word], message }
}

const offerGone = 'The signed offer is no longer valid; PAYMENT-REQUIRED contains the current one'

const apiErrors: Readonly<Record<RelayError, readonly [keyof typeof paymentErrors, string]>> = {
  relayer_unavailable: ['settle', 'Signed payments are currently unavailable; nothing was charged'],
  token_not_supported: ['requirements', 'This token does not support signed payments'],
  attempt_unknown: ['recipient', 'The recipient is not an address of this receipt'],
  attempt_closed: ['requirements', offerGone],
  amount_too_small: ['requirements', 'The amount is too small for a signed payment'],
  recipient_mismatch: ['recipient', 'The signed recipient does not match payTo in the requirements'],
  amount_mismatch: ['amount', 'The signed value must equal the requested amount'],
  not_yet_valid: ['notYetValid', 'The authorization is not valid yet'],
  authorization_expired: ['expired', 'The authorization has expired or is about to expire'],
  validity_too_long: ['expired', 'The authorization is valid for too long; the maximum is one hour'],
  signature_invalid: ['signature', 'The signature is not the payer’s'],
  account_not_deployed: ['signature', 'The payer’s account is not deployed yet'],
  authorization_used: ['nonceUsed', 'The nonce has already been used'],
  insufficient_funds: ['funds', "The payer's balance is too low"],
  not_approved: ['funds', 'The payer has not approved the amount'],
  transfer_rejected: ['simulation', 'The token rejects the transfer'],
  gas_too_expensive: ['settle', 'Gas is currently too expensive; nothing was charged'],
  payer_blocked: ['settle', 'Too many payments of this payer failed; pay with your own transaction'],
  payment_under_way: ['pending', 'Another payment for this receipt is in progress; nothing was charged'],
  payer_busy: ['pending', 'Another payment of this payer is in progress; nothing was charged'],
  already_paid: ['requirements', 'This receipt is already paid; nothing was charged'],
  too_many: ['settle', 'Too many payments for this receipt failed; pay with your own transaction'],
  reverted: ['reverted', 'The transfer reverted; nothing was charged'],
}
