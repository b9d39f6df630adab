import { getAddress } from 'viem/utils'

declare const unit: unique symbol

/**
 * An EVM address in its EIP-55 spelling.
 *
 * There is one spelling inside Sluice, so two wallets are the same exactly when their texts are.
 */
export type Wallet = `0x${string}` & { readonly [unit]: 'Wallet' }

/**
 * Spellings that were parsed lately: the same few wallets come again and again, in every log of a token. Two halves, so that
 * a full one is dropped without looking for what is oldest: some 2 MB at most.
 */
const halfSize = 4_096
let newer = new Map<string, Wallet>()
let older = new Map<string, Wallet>()

/** The wallet `value` names in any case, or `undefined` where it is not 0x and 40 hex digits. */
export function parseWallet(value: unknown): Wallet | undefined {
  if (typeof value !== 'string') return undefined
  const known = newer.get(value)
  if (known) return known
  if (!/^0x[0-9a-fA-F]{40}$/.test(value)) return undefined
  const wallet = older.get(value) ?? (getAddress(value.toLowerCase()) as Wallet)
  if (newer.size >= halfSize) {
    older = newer
    newer = new Map()
  }
  // A copy: a part of a long text would keep all of it.
  newer.set(` ${value}`.slice(1), wallet)
  return wallet
}

/** The zero address: stands for the chain's own coin where a token's address is asked for. */
export const nativeAddress = '0x0000000000000000000000000000000000000000' as Wallet
