import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../chain.ts'

/**
 * Purpose of an outgoing transaction.
 *
 * `relay` submits a buyer's signature. `payout` delivers the card sandbox's test tokens. `fill` moves nothing
 * and closes a nonce gap.
 */
export type TransactionKind = 'deploy' | 'sweep' | 'distribute' | 'relay' | 'payout' | 'fill'

/** Transaction to send. `detail` is stored for later lookups and never sent. */
export type TransactionOrder = {
  readonly kind: TransactionKind
  readonly detail: Readonly<Record<string, unknown>>
  readonly to: Wallet
  readonly data: Hex
}

export type TransactionTerms = {
  readonly nonce: bigint
  /** Number of the attempt for this nonce, from 0. */
  readonly attempt: bigint
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/**
 * Outgoing transaction as signed. It is recorded before it is sent.
 *
 * At most one attempt of a nonce is mined. Until then, all attempts are `signed`.
 */
export type OutgoingTransaction = TransactionOrder &
  TransactionTerms & {
    readonly chain: number
    readonly sender: Wallet
    readonly raw: Hex
    readonly hash: Hex
    readonly state: 'signed' | 'mined' | 'reverted' | 'replaced'
    readonly createdAt: UnixMs
    readonly sentAt: UnixMs | undefined
    readonly minedBlock: bigint | undefined
  }

/**
 * Returns whether the fee exceeds the order's limit: `detail.mostFee`, in wei as decimal text.
 *
 * The limit applies to every attempt of a nonce.
 */
export function isTooDear(
  { detail }: Pick<TransactionOrder, 'detail'>,
  { gas, maxFeePerGas }: Pick<TransactionTerms, 'gas' | 'maxFeePerGas'>,
): boolean {
  return typeof detail.mostFee === 'string' && gas * maxFeePerGas > BigInt(detail.mostFee)
}

/**
 * Returns whether the transaction can only revert, because `detail.validBefore` (Unix seconds as text) has
 * passed in chain time.
 */
export function isTooLate({ detail }: Pick<TransactionOrder, 'detail'>, now: UnixMs): boolean {
  return typeof detail.validBefore === 'string' && BigInt(now) >= BigInt(detail.validBefore) * 1_000n
}

/** Signing account. The key never leaves it. */
export interface TransactionSender {
  readonly address: Wallet
  /** Signs deterministically: the same order and terms give the same bytes. */
  sign(chain: number, order: TransactionOrder, terms: TransactionTerms): Promise<{ raw: Hex; hash: Hex }>
}

/** Creates a sender from a private key. Signs EIP-1559 transactions locally. */
export function openSender(privateKey: Hex): TransactionSender {
  const account = privateKeyToAccount(privateKey)
  return {
    address: account.address as Wallet,
    async sign(chain, { to, data }, { nonce, gas, maxFeePerGas, maxPriorityFeePerGas }) {
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId: chain,
        nonce: Number(nonce),
        to,
        data,
        gas,
        maxFeePerGas,
        maxPriorityFeePerGas,
      })
      return { raw, hash: keccak256(raw) }
    },
  }
}
