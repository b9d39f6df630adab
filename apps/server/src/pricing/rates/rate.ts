import type { RateE8 } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { type TokenSymbol, tokenKinds } from '@sluice/protocol/tokens/list.ts'

/** What there is a dollar rate for: tokens, and the one currency beside the dollar. */
export type RateCode = TokenSymbol | 'EUR'

/** What one source says one unit is worth. */
export type RateInput = {
  readonly source: string
  readonly usdPerUnit: RateE8
  /** When the source says it held; the time of reading where it says nothing. */
  readonly quotedAt: UnixMs
}

/** A rate to price by, with the evidence it stands on. */
export type Rate = {
  readonly code: RateCode
  readonly usdPerUnit: RateE8
  /** Of the oldest input. */
  readonly quotedAt: UnixMs
  /** The sources that were counted, joined by `+`. */
  readonly provider: string
  readonly inputs: readonly RateInput[]
}

/** One dollar. */
export const oneDollar = 100_000_000n as RateE8

/** How old a quote may be and still count (decisions: Rates): crypto a minute; fiat 36 hours, weekends counted. */
export function maxAgeMs(code: RateCode): number {
  return code === 'EUR' ? 129_600_000 : 60_000
}

/** Whether a quote is of use at `now`. One from the future (over a minute of skew) is as bad as a stale one. */
export function isTimely(quote: { readonly quotedAt: UnixMs }, code: RateCode, now: UnixMs): boolean {
  const age = now - quote.quotedAt
  return age <= maxAgeMs(code) && age >= -60_000
}

/** Why a source has nothing for a code; for the log. */
export type RateFault = { readonly source: string; readonly fault: string }

/** What a source answered for one code. */
export type RateReading = { readonly code: RateCode } & (RateInput | RateFault)

/** The seam for where rates come from: exchanges, a central bank, the chain, or fixed prices. */
export interface RateSource {
  readonly name: string
  /** What it can tell. */
  readonly codes: readonly RateCode[]
  /**
   * What it says of `codes` now. Does not throw and ends within seconds, whatever the other side
   * does: faults are readings. What it says is judged by `medianRate`, not here.
   */
  read(codes: readonly RateCode[]): Promise<RateReading[]>
}

/** The tokens that a source has a dollar price of, each with the asset it is priced as. */
export function quotedAssets(source: string): Map<RateCode, string> {
  const quoted = tokenKinds.filter(({ notQuotedBy }) => !notQuotedBy?.includes(source))
  return new Map(quoted.map(({ symbol, pricedAs }) => [symbol, pricedAs]))
}
