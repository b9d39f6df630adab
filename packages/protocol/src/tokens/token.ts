import type { Wallet } from '../wallet.ts'
import type { TokenKind } from './list.ts'

export type Token = TokenKind & {
  /** Contract address, or `nativeAddress` for the native token. */
  readonly address: Wallet
}
