import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../chain.ts'

/**
 * What a transaction of our own is for. `relay` submits what a buyer signed; `payout` delivers test tokens for the card
 * sandbox; `fill` moves nothing: it closes a gap between nonces.
 */
export type TransactionKind = 'deploy' | 'sweep' | 'distribute' | 'relay' | 'payout' | 'fill'

/** A transaction we want on the chain. `detail` says, for whoever asks later, what it is about. */
export type TransactionOrder = {
  readonly kind: TransactionKind
  readonly detail: Readonly<Record<string, unknown>>
  readonly to: Wallet
  readonly data: Hex
}

/** Where and at what price an order is signed. */
export type TransactionTerms = {
  readonly nonce: bigint
  /** Counts what was signed for this nonce, from 0. */
  readonly attempt: bigint
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/**
 * A transaction of ours as it was signed. Every one is written down before it is sent.
 *
 * Of the attempts of one nonce one at most is ever mined; until it is known which, all of them are `signed`.
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
 * Whether a transaction may cost more than its order allows: an order may name the most, in the smallest units of the
 * native token, as a text in `detail.mostFee`. Holds for every attempt of a nonce.
 */
export function isTooDear(
  { detail }: Pick<TransactionOrder, 'detail'>,
  { gas, maxFeePerGas }: Pick<TransactionTerms, 'gas' | 'maxFeePerGas'>,
): boolean {
  return typeof detail.mostFee === 'string' && gas * maxFeePerGas > BigInt(detail.mostFee)
}

/**
 * Whether a transaction can only revert from now on: an order may name the second of the chain's time before which it
 * has to be in a block, as a text in `detail.validBefore`.
 */
export function isTooLate({ detail }: Pick<TransactionOrder, 'detail'>, now: UnixMs): boolean {
  return typeof detail.validBefore === 'string' && BigInt(now) >= BigInt(detail.validBefore) * 1_000n
}

/** An account of ours that signs. The key never leaves it. */
export interface TransactionSender {
  readonly address: Wallet
  /** Deterministic: the same order on the same terms is signed into the same bytes. */
  sign(chain: number, order: TransactionOrder, terms: TransactionTerms): Promise<{ raw: Hex; hash: Hex }>
}

/** The account of a private key. */
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
