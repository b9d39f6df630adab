import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../chain/chain.ts'

/** Where on the chain something happened. */
export type Place = {
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly at: UnixMs
  readonly transactionHash: Hex
  readonly logIndex: number
}

/** How money reached a split: a call that names a reference, a sweep of a deposit address, or neither. */
export type ArrivalKind = 'call' | 'sweep' | 'plain'

/** What happened to one split's books in one token. */
export type SplitEvent =
  | {
      readonly kind: 'arrived'
      readonly how: ArrivalKind
      readonly amount: bigint
      readonly reference: Hex | undefined
      /** With a sweep: the address it emptied. */
      readonly deposit: Wallet | undefined
      /** Sender of a plain transfer, as the log names it. */
      readonly from?: Wallet
      readonly place: Place
    }
  /**
   * Everybody was paid its right to `total`, save the accounts whose `held` events came just before, and save
   * one base unit of the last recipient's where `isUnitKept`.
   */
  | {
      readonly kind: 'distributed'
      readonly total: bigint
      readonly isUnitKept?: boolean
      readonly place: Place
    }
  | { readonly kind: 'held'; readonly account: Wallet; readonly amount: bigint; readonly place: Place }
  | { readonly kind: 'released'; readonly account: Wallet; readonly amount: bigint; readonly place: Place }

/** An event with the books it belongs to. */
export type BookedEvent = {
  readonly split: Wallet
  readonly token: Wallet
  readonly event: SplitEvent
}

/** A row of what arrived at a split, as far as settling it goes. */
export type Arrival = {
  readonly amount: bigint
  readonly receivedAfter: bigint
  readonly transactionHash: Hex
  readonly logIndex: number
}

/** Whether `a` comes before `b` on the chain (negative), or after it (positive). */
export function comparePlaces(
  a: { readonly blockNumber: bigint; readonly logIndex: number },
  b: { readonly blockNumber: bigint; readonly logIndex: number },
): number {
  return a.blockNumber === b.blockNumber ? a.logIndex - b.logIndex : a.blockNumber < b.blockNumber ? -1 : 1
}
