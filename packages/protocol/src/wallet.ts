import { getAddress } from 'viem/utils'

declare const unit: unique symbol

/**
 * An EVM address in its EIP-55 spelling.
 *
 * There is one spelling inside Sluice, so two wallets are the same exactly when their texts are.
 */
export type Wallet = `0x${string}` & { readonly [unit]: 'Wallet' }

/** The wallet `value` names in any case, or `undefined` where it is not 0x and 40 hex digits. */
export function parseWallet(value: unknown): Wallet | undefined {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value)) return undefined
  return getAddress(value.toLowerCase()) as Wallet
}

/** The zero address: stands for the chain's own coin where a token's address is asked for. */
export const nativeAddress = '0x0000000000000000000000000000000000000000' as Wallet
