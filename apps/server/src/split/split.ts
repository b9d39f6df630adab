import type { Bps } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'

/** One row of a split: who gets which share of every payment. */
export type Recipient = { readonly address: Wallet; readonly sharesBps: Bps }

/** One version of a merchant's split: a contract whose address is known before it exists. */
export type Split = {
  readonly merchant: Wallet
  readonly version: bigint
  readonly chain: number
  readonly address: Wallet
  /** Makes the address, together with the recipients and the factory. */
  readonly salt: `0x${string}`
  /** Makes it, whichever makes the new ones by now. */
  readonly factory: Wallet
  /** In the order of the contract, the platform's row included; the shares add up to 10000. */
  readonly recipients: readonly Recipient[]
  readonly feeBps: Bps
  readonly platformRecipient: Wallet | undefined
  /** `in-force`: it is, or was until the next one took over. */
  readonly state: 'scheduled' | 'in-force' | 'cancelled'
  /** Before this it takes over from no other. */
  readonly effectiveAt: UnixMs
  /** Since when it is the one that new receipts are paid through; absent while it is not. */
  readonly inForceAt: UnixMs | undefined
  readonly cancelledAt: UnixMs | undefined
  /** Absent until the contract was seen on the chain. */
  readonly deployedAt: UnixMs | undefined
  readonly deployedTx: `0x${string}` | undefined
  readonly createdAt: UnixMs
}

/** What is known of a version before it is stored. */
export type SplitDraft = Omit<Split, 'deployedAt' | 'deployedTx' | 'inForceAt' | 'cancelledAt'>

/** Whether two lists name the same wallets with the same shares, in whatever order. */
export function isSameRecipients(a: readonly Recipient[], b: readonly Recipient[]): boolean {
  const shares = new Map(a.map(({ address, sharesBps }) => [address, sharesBps]))
  return a.length === b.length && b.every(({ address, sharesBps }) => shares.get(address) === sharesBps)
}
