import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { BlockHeader, ChainHead, Hex } from '../../chain/chain.ts'
import type { Outcomes } from './read-native-transfers.ts'
import type { RangeReading } from './read-transfers.ts'

/**
 * How far the watcher goes in one step, and what it brings over from steps that were cut off. Of use to one
 * process and to be lost at any time: what money is credited upon is in the database.
 */
export type Pace = {
  blockCount: bigint
  /** Blocks are read with their transactions. */
  withTransactions: boolean
  readonly outcomes: Outcomes
  /** Deposit addresses whose balance is to be read at the head. */
  readonly touched: Set<Wallet>
  /** When the head was asked for last. */
  headAt: UnixMs
  /** Set while the next step ends below the final block as well. */
  standing: Standing | undefined
}

/** A head far above the block up to which everything was read: the next step needs no newer one. */
export type Standing = { readonly head: ChainHead; readonly upTo: Hex }

/** Three batches of headers, which with the logs are as many requests as an endpoint is sent at once. */
const mostBlocks = 300n
/** A block with its transactions is some hundred kilobytes. */
const mostWithTransactions = 100n
const mostReplaced = 300n
const mostReplacedSlowly = 10n
const movementsPerStep = 2_000
const mostTouched = 5_000

/** The pace of a watcher that knows nothing yet. */
export function newPace(): Pace {
  return {
    blockCount: mostBlocks,
    withTransactions: false,
    outcomes: new Map(),
    touched: new Set(),
    headAt: 0 as UnixMs,
    standing: undefined,
  }
}

/**
 * How many blocks the next step takes. Where `lost` blocks were replaced it takes as many of the new ones at least,
 * unless they are very many or steps have failed of late: what they include again was then never away.
 */
export function spanOf(pace: Pace, lost: bigint): bigint {
  const most = pace.blockCount === mostBlocks ? mostReplaced : mostReplacedSlowly
  return larger(ordinarySpan(pace), smaller(lost, most))
}

/** After a step that failed: half of it next time, down to a single block. What was learnt is kept. */
export function slowDown(pace: Pace): void {
  pace.blockCount = larger(ordinarySpan(pace) / 2n, 1n)
}

/** What a step went over, and what it took of that. */
export type Stride = {
  readonly asked: number
  readonly taken: number
  readonly movementCount: number
}

/**
 * After a step that went well: twice as far next time, unless it brought as much as a step should. Where it brought more,
 * so that blocks were read for nothing, half of them next time, or as many as could be taken.
 */
export function speedUp(pace: Pace, { asked, taken, movementCount }: Stride): void {
  pace.outcomes.clear()
  if (taken < asked) pace.blockCount = larger(BigInt(taken), BigInt(asked) / 2n)
  else if (movementCount <= movementsPerStep / 2) pace.blockCount = smaller(pace.blockCount * 2n, mostBlocks)
}

/** Keeps a head for the next step where that ends below its final block, however far it goes: what is final stays so. */
export function keepHead(pace: Pace, head: ChainHead, last: BlockHeader): void {
  const isFarBelow = last.number + mostBlocks <= head.final.number
  pace.standing = isFarBelow ? { head, upTo: last.hash } : undefined
}

function ordinarySpan({ blockCount, withTransactions }: Pace): bigint {
  return withTransactions ? smaller(blockCount, mostWithTransactions) : blockCount
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

/** Remembers addresses until their balance was read. */
export function recordTouched(pace: Pace, addresses: readonly Wallet[]): void {
  for (const address of addresses) if (pace.touched.size < mostTouched) pace.touched.add(address)
}

/**
 * Of a range's blocks the first ones, as many as bring no more than a step's worth of movements, one at least: one
 * transaction of the database holds what one step brings.
 */
export function cutBlocks<T extends BlockHeader>(blocks: readonly T[], reading: RangeReading): readonly T[] {
  const total = reading.transfers.length + reading.coin.length
  if (total <= movementsPerStep) return blocks
  const counts = new Map<bigint, number>()
  const count = (number: bigint) => counts.set(number, (counts.get(number) ?? 0) + 1)
  for (const { block } of reading.transfers) count(block.number)
  for (const { blockNumber } of reading.coin) count(blockNumber)
  let sum = 0
  return blocks.filter(({ number }, i) => {
    sum += counts.get(number) ?? 0
    return i === 0 || sum <= movementsPerStep
  })
}

/** What of a reading lies in blocks up to a height. */
export function cutReading(reading: RangeReading, height: bigint): RangeReading {
  return {
    transfers: reading.transfers.filter(({ block }) => block.number <= height),
    coin: reading.coin.filter(({ blockNumber }) => blockNumber <= height),
    touched: reading.touched,
  }
}
