import type { RateCode, RateInput } from './rate.ts'

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
