export type Provider = {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>
  on?(event: 'chainChanged' | 'accountsChanged', listener: (reported: never) => void): void
  removeListener?(event: 'chainChanged' | 'accountsChanged', listener: (reported: never) => void): void
  readonly appUrl?: string | undefined
  readonly isOver?: boolean
}
