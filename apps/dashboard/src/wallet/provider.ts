/** A wallet as EIP-1193 has it. */
export type Provider = {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>
  on?(event: 'accountsChanged', listener: (accounts: readonly string[]) => void): void
  removeListener?(event: 'accountsChanged', listener: (accounts: readonly string[]) => void): void
}

/** A wallet that can be asked to sign. */
export type BrowserWallet = {
  /** The wallet's own reverse domain name; stays the same over reloads. */
  readonly id: string
  /** Absent: a wallet of the old kind, which does not say its name. */
  readonly name: string | undefined
  readonly icon: string | undefined
  readonly provider: Provider
}

/** Why a wallet did not do what it was asked. */
export type WalletFault = 'rejected' | 'busy' | 'other'

/** Reads a wallet's error; some wrap the one that matters. */
export function readWalletFault(error: unknown): WalletFault {
  const at = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
  const codes = [
    at(error, 'code'),
    at(at(error, 'data'), 'code'),
    at(at(at(error, 'data'), 'originalError'), 'code'),
  ]
  if (codes.includes(4001)) return 'rejected'
  return codes.includes(-32002) ? 'busy' : 'other'
}
