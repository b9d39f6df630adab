import type { TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { hashTypedData } from 'viem'
import type { Hex } from '../../chain/chain.ts'

export type SigningKind = 'authorization' | 'permit' | 'permit2'

/**
 * A signed EIP-3009 authorization. Permits and Permit2 transfers are converted to this form.
 *
 * For a permit, `to` is the spender, and `nonce` is a hash of the spender and the permit's nonce. For
 * Permit2, `to` is the recipient in the witness.
 */
export type Authorization = {
  readonly from: Wallet
  readonly to: Wallet
  readonly value: bigint
  /** Unix seconds, exclusive, like `validBefore`. */
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
}

export type TokenDomain = {
  readonly name: string
  readonly version: string
  readonly chainId: number
  readonly verifyingContract: Wallet
}

/**
 * Reasons why a signature is not submitted or why its payment failed. Part of the API: see docs/gasless.md.
 */
export type RelayError =
  | 'relayer_unavailable'
  | 'token_not_supported'
  | 'attempt_unknown'
  | 'attempt_closed'
  | 'amount_too_small'
  | 'recipient_mismatch'
  | 'amount_mismatch'
  | 'not_yet_valid'
  | 'authorization_expired'
  | 'validity_too_long'
  | 'signature_invalid'
  | 'account_not_deployed'
  | 'authorization_used'
  | 'insufficient_funds'
  | 'not_approved'
  | 'transfer_rejected'
  | 'gas_too_expensive'
  | 'payer_blocked'
  | 'payment_under_way'
  | 'payer_busy'
  | 'already_paid'
  | 'too_many'
  | 'reverted'

export type RelayedPayment = {
  readonly chain: number
  readonly tokenAddress: Wallet
  readonly payer: Wallet
  readonly nonce: Hex
  readonly way: SigningKind
  readonly permitNonce: bigint | undefined
  readonly merchant: Wallet
  readonly receiptId: ReceiptId
  readonly attemptId: string
  readonly depositAddress: Wallet
  readonly amount: TokenUnits
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly signature: Hex
  /**
   * `mined`: the deposit address received the money, from any submitter. `failed`: no payment is expected
   * from this signature.
   */
  readonly state: 'waiting' | 'sent' | 'mined' | 'failed'
  readonly reason: RelayError | undefined
  readonly openedBlock: bigint
  readonly txHash: Hex | undefined
  readonly txBlock: bigint | undefined
  readonly createdAt: UnixMs
  /** Time when a facilitator first received the signature. From then on, another party can submit it. */
  readonly askedAt: UnixMs | undefined
  readonly settledAt: UnixMs | undefined
}

/** Unique key of a signed payment: a token accepts each nonce of a payer once. */
export type RelayKey = Pick<RelayedPayment, 'chain' | 'tokenAddress' | 'payer' | 'nonce'>

export function textOfRelay({ tokenAddress, payer, nonce }: Omit<RelayKey, 'chain'>): string {
  return `${tokenAddress}/${payer}/${nonce}`
}

export function authorizationOf(relay: RelayedPayment): Authorization {
  const { payer, depositAddress, amount, validAfter, validBefore, nonce } = relay
  return { from: payer, to: depositAddress, value: amount, validAfter, validBefore, nonce }
}

export const authorizationTypes = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

export function hashAuthorization(domain: TokenDomain, authorization: Authorization): Hex {
  const primaryType = 'TransferWithAuthorization'
  return hashTypedData({ domain, types: authorizationTypes, primaryType, message: authorization })
}
