import type { Limit } from '../measure-limit.ts'
import { middle } from '../middle.ts'
import type { WorkName } from '../works.ts'

/** How long requests take while the service has half as many as it can answer. */
export type Half = {
  readonly work: WorkName
  readonly program: Limit['program']
  readonly rounds: readonly HalfRound[]
}

/** One of them. */
export type HalfRound = {
  /** PostgreSQL alone, at half of what it does alone. */
  readonly limit: Limit
  /** Right before and right after, at the same rate, of a bare server that works as much for each request: the longer p99. */
  readonly bareP99: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** That of each five seconds. */
  readonly p99s: readonly number[]
  readonly delayP99Ms: number
  /** How often V8 collected old data meanwhile. */
  readonly collections: number
}

/** The most milliseconds that one of a hundred may take. */
export const halfMarkMs = 20

/** Where a bare server takes longer than this, the machine was late, and says nothing about the service. */
export const calmMs = halfMarkMs / 2

/** Those rounds in which the machine was not late. */
export function calmRounds({ rounds }: Half): readonly HalfRound[] {
  return rounds.filter(({ bareP99 }) => bareP99 <= calmMs)
}

/**
 * Whether the rounds in which the machine was not late were as many as asked for, and quick.
 *
 * @param noise - By what share of the mark they may be above it.
 */
export function isHalfReached(half: Half, wanted: number, noise: number): boolean {
  const calm = calmRounds(half)
  return calm.length >= wanted && middle(calm.map(({ p99 }) => p99)) <= halfMarkMs * (1 + noise)
}
