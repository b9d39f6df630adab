import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../chain/chain.ts'

export type Place = {
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly at: UnixMs
  readonly transactionHash: Hex
  readonly logIndex: number
}

/** `call` specifies a reference, `sweep` empties a deposit address, `plain` is any other transfer. */
export type ArrivalKind = 'call' | 'sweep' | 'plain'

export type SplitEvent =
  | {
      readonly kind: 'arrived'
      readonly how: ArrivalKind
      readonly amount: bigint
      readonly reference: Hex | undefined
      readonly deposit: Wallet | undefined
      readonly from?: Wallet
      readonly place: Place
    }
  /**
   * A distribution that paid every recipient its entitlement to `total`, except the preceding `held` amounts.
   *
   * If `isUnitKept`, the last recipient gets one base unit less.
   */
  | {
      readonly kind: 'distributed'
      readonly total: bigint
      readonly isUnitKept?: boolean
      readonly place: Place
    }
  | { readonly kind: 'held'; readonly account: Wallet; readonly amount: bigint; readonly place: Place }
  | { readonly kind: 'released'; readonly account: Wallet; readonly amount: bigint; readonly place: Place }

export type BookedEvent = {
  readonly split: Wallet
  readonly token: Wallet
  readonly event: SplitEvent
}

export type Arrival = {
  readonly amount: bigint
  readonly receivedAfter: bigint
  readonly transactionHash: Hex
  readonly logIndex: number
}

/** Compares chain positions: negative if `a` is before `b`. */
export function comparePlaces(
  a: { readonly blockNumber: bigint; readonly logIndex: number },
  b: { readonly blockNumber: bigint; readonly logIndex: number },
): number {
  return a.blockNumber === b.blockNumber ? a.logIndex - b.logIndex : a.blockNumber < b.blockNumber ? -1 : 1
}
