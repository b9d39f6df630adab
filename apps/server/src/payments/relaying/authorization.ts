import type { TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { hashTypedData } from 'viem'
import type { Hex } from '../../chain/chain.ts'

/** How a signed payment moves: by EIP-3009, by an EIP-2612 permit, or through Permit2. */
export type SigningKind = 'authorization' | 'permit' | 'permit2'

/**
 * What a buyer signs (EIP-3009): so much of a token may go from one address to another, once, within a window. A permit
 * (`permit.ts`) is read as one to its spender, whose nonce stands for the spender and the permit's own nonce; what is
 * signed for Permit2 (`permit2.ts`) as one to its witness.
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

/** The EIP-712 domain of a token. */
export type TokenDomain = {
  readonly name: string
  readonly version: string
  readonly chainId: number
  readonly verifyingContract: Wallet
}

/** Why a signature is not submitted, or was in vain. A text of the API: docs/gasless.md says what each means. */
export type RelayFault =
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

/** A signed payment that the service took upon itself to submit. */
export type RelayedPayment = {
  readonly chain: number
  readonly tokenAddress: Wallet
  readonly payer: Wallet
  readonly nonce: Hex
  readonly way: SigningKind
  /** The nonce of the EIP-2612 permit that was signed; `undefined` where it is none. */
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
   * `waiting` to be sent; `sent`; `mined`: the money is at the deposit address, whoever submitted the signature;
   * `failed`: it is not, and for all that is known never will be by this signature.
   */
  readonly state: 'waiting' | 'sent' | 'mined' | 'failed'
  readonly reason: RelayFault | undefined
  readonly openedBlock: bigint
  readonly txHash: Hex | undefined
  readonly txBlock: bigint | undefined
  readonly createdAt: UnixMs
  /** When a facilitator was first given it: from then on somebody else may submit it. */
  readonly askedAt: UnixMs | undefined
  readonly settledAt: UnixMs | undefined
}

/** What names a signed payment: a token accepts each nonce of a payer once. */
export type RelayKey = Pick<RelayedPayment, 'chain' | 'tokenAddress' | 'payer' | 'nonce'>

/** The key as one text, by which the transactions of a signed payment are found. */
export function textOfRelay({ tokenAddress, payer, nonce }: Omit<RelayKey, 'chain'>): string {
  return `${tokenAddress}/${payer}/${nonce}`
}

/** What was signed, of a payment as it is stored. */
export function authorizationOf(relay: RelayedPayment): Authorization {
  const { payer, depositAddress, amount, validAfter, validBefore, nonce } = relay
  return { from: payer, to: depositAddress, value: amount, validAfter, validBefore, nonce }
}

/** The type of the message, as a wallet shows it. */
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

/** The hash that the payer's account signs. */
export function hashAuthorization(domain: TokenDomain, authorization: Authorization): Hex {
  const primaryType = 'TransferWithAuthorization'
  return hashTypedData({ domain, types: authorizationTypes, primaryType, message: authorization })
}
