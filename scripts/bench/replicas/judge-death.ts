import { percentile } from '../percentile.ts'
import type { Asked } from './spread-load.ts'

/** What it cost that one of several replicas died. */
export type Death = {
  /** Requests that were under way and never answered. */
  readonly lost: number
  readonly perSecondBefore: number
  readonly perSecondAfter: number
  /** From the death until as many are answered as before, but for a tenth; `undefined` where that was not seen. */
  readonly backAfterMs: number | undefined
  readonly p99BeforeMs: number
  /** Of the requests that ended in the two seconds after it. */
  readonly p99AroundMs: number
}

/** Long enough that a rate is no chance. */
const windowMs = 500
const stepMs = 50
const aroundMs = 2_000
const isAsMany = 0.9

/**
 * Judges the requests of a load. Each is counted where it ended; the rate is back at the beginning of the first half second,
 * from the death on, in which as many are answered as before.
 */
export function judgeDeath(
  asked: readonly Asked[],
  { from, killedAt, to }: { readonly from: number; readonly killedAt: number; readonly to: number },
): Death {
  const between = (begin: number, end: number) =>
    asked.filter(([endedAt, , isAnswered]) => isAnswered && endedAt >= begin && endedAt < end)
  const rate = (begin: number, end: number) => (between(begin, end).length * 1_000) / (end - begin)
  const took = (begin: number, end: number) => between(begin, end).map(([, tookMs]) => tookMs)
  const perSecondBefore = rate(from, killedAt)
  let backAfterMs: number | undefined
  for (let at = killedAt; backAfterMs === undefined && at + windowMs <= to; at += stepMs)
    if (rate(at, at + windowMs) >= perSecondBefore * isAsMany) backAfterMs = at - killedAt
  return {
    lost: asked.filter(([, , isAnswered]) => !isAnswered).length,
    perSecondBefore,
    perSecondAfter: rate(killedAt + aroundMs, to),
    backAfterMs,
    p99BeforeMs: percentile(took(from, killedAt), 0.99),
    p99AroundMs: percentile(took(killedAt, killedAt + aroundMs), 0.99),
  }
}
