import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { keptOf, type Ledger, releasedTo } from '../../split/ledger/ledger.ts'
import { entitlement, partsOf, type Split } from '../../split/split.ts'
import { type FinalityTags, hasReached } from '../cursors/finality.ts'

export type MoneyTracker = {
  readonly steps: readonly TrackedStep[]
  readonly parts: readonly RecipientPart[]
}

/** `stopped`: a reorg removed the payment. */
export type TrackedStep = {
  readonly step: 'received' | 'confirmed' | 'final' | 'passed-on'
  readonly state: 'done' | 'now' | 'waiting' | 'stopped'
  readonly at: UnixMs | null
}

export type RecipientPart = {
  readonly address: Wallet
  readonly sharesBps: number
  readonly isPlatform: boolean
  readonly token: Wallet
  /** Base units; null until all the money has reached the split. */
  readonly units: bigint | null
  readonly state: 'waiting' | 'released' | 'held'
  readonly transactionHash: string | null
}

export type CountedMoney = {
  readonly token: Wallet
  readonly credited: bigint
  /** Base units in blocks that lack the required finality. */
  readonly seen: bigint
  readonly firstAt: UnixMs
  readonly blockNumber: bigint
  readonly creditedAt: UnixMs | undefined
}

export type TrackedArrival = {
  readonly split: Wallet
  readonly token: Wallet
  readonly amount: bigint
  readonly receivedAfter: bigint
  readonly distributedTx: string | undefined
  readonly distributedAt: UnixMs | undefined
}

export type TrackInput = {
  readonly isConfirmed: boolean
  readonly isReversed: boolean
  readonly isReconciled: boolean
  readonly money: readonly CountedMoney[]
  readonly tags: FinalityTags
  readonly arrivals: readonly TrackedArrival[]
  readonly split: Split | undefined
  readonly splits: ReadonlyMap<string, Split>
  readonly ledgerOf: (split: Wallet, token: Wallet) => Ledger | undefined
}

/**
 * Evaluates the progress of a receipt's money from payment to payout. Pure.
 *
 * A split pays each recipient in order of arrival. A share is released once everything up to the newest
 * arrival has been released.
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
 * Returns each recipient's share in split order.
 *
 * If an arrival also carried other money, each recipient gets its share of the credited amount, rounded down.
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
