import type { Wallet } from '../wallet.ts'
import type { TokenKind } from './list.ts'

/** A token on the chain of this deployment. */
export type Token = TokenKind & {
  /** The contract; `nativeAddress` for the chain's own coin. */
  readonly address: Wallet
}
