import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../src/chain/chain.ts'
import type { Signer } from './chain-people.ts'

/** A payment that a signature allows, once. */
export type SignedPayment = {
  readonly payer: Wallet
  readonly token: Wallet
  readonly deposit: Wallet
  readonly units: bigint
}

/** What the service, the oracle and buyers know of payments by signature. */
export interface SignedPayments {
  /** Key of the relayer. */
  readonly privateKey: Hex
  readonly payers: readonly Signer[]
  readonly signed: SignedPayment[]
  /**
   * Adds what signatures moved to deposit addresses on the canonical chain, whoever submitted them.
   *
   * @param others - Transactions that pay otherwise.
   */
  addTo(sums: Map<string, bigint>, others: ReadonlyMap<Hex, unknown>): void
  mend(): void
}
