/** A wallet as EIP-1193 has it. */
export type Provider = {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>
  on?(event: 'chainChanged' | 'accountsChanged', listener: (told: never) => void): void
  removeListener?(event: 'chainChanged' | 'accountsChanged', listener: (told: never) => void): void
  /** Where the wallet's app opens, of one outside this browser. */
  readonly appUrl?: string | undefined
  /** The connection to a wallet outside this browser has ended. */
  readonly isOver?: boolean
}
