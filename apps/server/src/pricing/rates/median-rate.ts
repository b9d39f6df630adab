import { divideHalfAway, type RateE8 } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { isTimely, type Rate, type RateCode, type RateInput } from './rate.ts'

/** Inputs farther than this from the median of all are dropped: 2 % (decisions: Rates). */
const outlierPercent = 2n

/**
 * The median of what the sources say, or `undefined` where nothing usable is left.
 *
 * Dropped first: what is not positive, what is stale, and then what is over 2 % from the median.
 * Two that disagree by more than 4 % are therefore both dropped: nobody can tell which is right.
 */
export function medianRate(code: RateCode, inputs: readonly RateInput[], now: UnixMs): Rate | undefined {
  const timely = inputs.filter((input) => input.usdPerUnit > 0n && isTimely(input, code, now))
  const middle = median(timely)
  const counted = timely.filter(
    ({ usdPerUnit }) => 100n * distance(usdPerUnit, middle) <= outlierPercent * middle,
  )
  const oldest = counted.toSorted((a, b) => a.quotedAt - b.quotedAt)[0]
  if (!oldest) return undefined
  return {
    code,
    usdPerUnit: median(counted),
    quotedAt: oldest.quotedAt,
    provider: counted.map((input) => input.source).join('+'),
    inputs: counted,
  }
}

/** The middle one; of an even number the mean of the middle two, half away from zero. 0 of none. */
function median(inputs: readonly RateInput[]): RateE8 {
  const sorted = inputs.map((input) => input.usdPerUnit).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const low = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0n
  const high = sorted[Math.floor(sorted.length / 2)] ?? 0n
  return divideHalfAway(low + high, 2n) as RateE8
}

function distance(a: bigint, b: bigint): bigint {
  return a > b ? a - b : b - a
}
