import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { keptOf, type Ledger, releasedTo } from '../../split/ledger/ledger.ts'
import { entitlement, partsOf, type Split } from '../../split/split.ts'
import { type FinalityTags, hasReached } from '../cursors/finality.ts'

/** How far the money of a receipt is on its way, step by step. */
export type MoneyTracker = {
  readonly steps: readonly TrackedStep[]
  /** Who gets which part; empty while the split is not known. */
  readonly parts: readonly RecipientPart[]
}

/** `stopped`: the network took the money's block back. */
export type TrackedStep = {
  readonly step: 'received' | 'confirmed' | 'final' | 'passed-on'
  readonly state: 'done' | 'now' | 'waiting' | 'stopped'
  readonly at: UnixMs | null
}

/** What one recipient of the split gets of the money in one token. */
export type RecipientPart = {
  readonly address: Wallet
  readonly sharesBps: number
  readonly isPlatform: boolean
  readonly token: Wallet
  /** Base units; null while the money has not reached the split. */
  readonly units: bigint | null
  readonly state: 'waiting' | 'released' | 'held'
  /** What settled it. */
  readonly transactionHash: string | null
}

/** Money that was seen for the receipt and still counts, in one token. */
export type CountedMoney = {
  readonly token: Wallet
  readonly credited: bigint
  /** In a block, and not confirmed as far as the amount requires. */
  readonly seen: bigint
  readonly firstAt: UnixMs
  /** Of its newest payment. */
  readonly blockNumber: bigint
  /** When the newest of what was credited became so; absent while nothing was. */
  readonly creditedAt: UnixMs | undefined
}

/** Money of the receipt that reached a split, oldest first. */
export type TrackedArrival = {
  readonly split: Wallet
  readonly token: Wallet
  readonly amount: bigint
  readonly receivedAfter: bigint
  readonly distributedTx: string | undefined
  readonly distributedAt: UnixMs | undefined
}

/** What is known of a receipt's way; `ledgers` are those of the arrivals' splits and tokens. */
export type TrackInput = {
  /** Whether what was seen is credited, or what pays the receipt is. */
  readonly isConfirmed: boolean
  readonly isReversed: boolean
  readonly isReconciled: boolean
  readonly money: readonly CountedMoney[]
  readonly tags: FinalityTags
  readonly arrivals: readonly TrackedArrival[]
  /** The split the receipt is paid through. */
  readonly split: Split | undefined
  /** Every version of the merchant's split, by address. */
  readonly splits: ReadonlyMap<string, Split>
  readonly ledgerOf: (split: Wallet, token: Wallet) => Ledger | undefined
}

/**
 * Where the money of a receipt is. Pure.
 *
 * A recipient's money leaves a split in the order it came in, so its part of this receipt is out as soon as it was
 * released all up to the receipt's newest arrival.
 */
export function trackMoney(input: TrackInput): MoneyTracker {
  const { isConfirmed, isReversed, isReconciled, money, tags } = input
  const parts = money.flatMap((each) => partsOfMoney(input, each))
  const isSeen = money.length > 0
  const isFinal = isConfirmed && money.every(({ blockNumber }) => hasReached(tags, blockNumber, 'final'))
  const isOut =
    isReconciled || (isFinal && parts.length > 0 && parts.every(({ state }) => state !== 'waiting'))
  const outAt = isOut ? newest(input.arrivals.map(({ distributedAt }) => distributedAt)) : null
  const reached = [isSeen, isConfirmed, isFinal || isOut, isOut]
  const times = [
    newest(money.map(({ firstAt }) => firstAt)),
    isConfirmed ? newest(money.map(({ creditedAt }) => creditedAt)) : null,
    null,
    outAt,
  ]
  const current = reached.indexOf(false)
  const names = ['received', 'confirmed', 'final', 'passed-on'] as const
  const steps = names.map((step, i): TrackedStep => {
    if (isReversed && i > 0) return { step, state: i === 1 ? 'stopped' : 'waiting', at: null }
    const state = reached[i] ? 'done' : i === current ? 'now' : 'waiting'
    return { step, state, at: state === 'done' ? (times[i] ?? null) : null }
  })
  return { steps, parts }
}

/** The parts of the money in one token: exact once all of it is in the split. */
function partsOfMoney(input: TrackInput, money: CountedMoney): RecipientPart[] {
  const arrivals = input.arrivals.filter(({ token }) => token === money.token)
  const last = arrivals.at(-1)
  const split = (last && input.splits.get(last.split)) ?? input.split
  if (!split) return []
  const hasArrived = sum(arrivals.map(({ amount }) => amount)) >= money.credited && money.credited > 0n
  const ledger = last && input.ledgerOf(last.split, money.token)
  const exact = exactParts(split, arrivals, money.credited)
  return split.recipients.map((recipient, i): RecipientPart => {
    const { address, sharesBps } = recipient
    const right = last ? entitlement(last.receivedAfter, recipient) : 0n
    const isReleased = ledger !== undefined && releasedTo(ledger, address) + keptOf(ledger, address) >= right
    const isHeld = last !== undefined && ledger !== undefined && ledger.level >= last.receivedAfter
    const state = !hasArrived ? 'waiting' : isReleased ? 'released' : isHeld ? 'held' : 'waiting'
    return {
      address,
      sharesBps,
      isPlatform: address === split.platformRecipient,
      token: money.token,
      units: hasArrived ? (exact[i] ?? null) : null,
      state,
      transactionHash: state === 'waiting' ? null : (last?.distributedTx ?? null),
    }
  })
}

/**
 * Each recipient's part, in the order of the split. Where an arrival carried other money too, or another split was
 * paid as well, each gets its share of what was credited, rounded down.
 */
function exactParts(split: Split, arrivals: readonly TrackedArrival[], credited: bigint): bigint[] {
  const isExact =
    arrivals.every((arrival) => arrival.split === split.address) &&
    sum(arrivals.map(({ amount }) => amount)) === credited
  if (!isExact) return split.recipients.map((recipient) => entitlement(credited, recipient))
  const each = arrivals.map((arrival) => partsOf(arrival, split.recipients))
  return split.recipients.map((_, i) => sum(each.map((parts) => parts[i]?.units ?? 0n)))
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

function newest(times: readonly (UnixMs | undefined)[]): UnixMs | null {
  const known = times.filter((at) => at !== undefined)
  return known.length > 0 ? (Math.max(...known) as UnixMs) : null
}
