import type { Wallet } from '@sluice/protocol/wallet.ts'

/**
 * Numbers of the chain by key: balances, nonces, allowances, ledgers of splits. A missing number is zero.
 *
 * A fork reads through to the state below, and changes it only with `commit`.
 */
export class ChainState {
  readonly #below: ChainState | undefined
  readonly #numbers: Map<string, bigint>

  constructor(below?: ChainState, numbers = new Map<string, bigint>()) {
    this.#below = below
    this.#numbers = numbers
  }

  get(key: string): bigint {
    return this.#numbers.get(key) ?? this.#below?.get(key) ?? 0n
  }

  /** Returns the numbers of a state that is no fork. */
  entries(): IterableIterator<[string, bigint]> {
    return this.#numbers.entries()
  }

  set(key: string, value: bigint): void {
    this.#numbers.set(key, value)
  }

  add(key: string, change: bigint): void {
    this.set(key, this.get(key) + change)
  }

  fork(): ChainState {
    return new ChainState(this)
  }

  commit(): void {
    for (const [key, value] of this.#numbers) this.#below?.set(key, value)
  }

  /** Returns an independent copy of a state that is no fork. */
  copy(): ChainState {
    return new ChainState(undefined, new Map(this.#numbers))
  }
}

/** Returns every balance of a state that is no fork. */
export function listBalances(state: ChainState): { token: Wallet; owner: string; units: bigint }[] {
  return [...state.entries()].flatMap(([key, units]) => {
    const [kind, token, owner] = key.split(':')
    return kind === 'balance' && owner ? [{ token: token as Wallet, owner, units }] : []
  })
}

/** The zero address as `token` gives the native balance. */
export const balanceOf = (token: Wallet, owner: string) => `balance:${token}:${owner}`
export const nonceOf = (account: Wallet) => `nonce:${account}`
export const allowanceOf = (token: Wallet, owner: string, spender: string) =>
  `allowance:${token}:${owner}:${spender}`
export const isBlockedBy = (token: Wallet, account: string) => `blocked:${token}:${account}`
/** One if a split or deposit stands at the address. */
export const codeAt = (address: Wallet) => `code:${address}`
