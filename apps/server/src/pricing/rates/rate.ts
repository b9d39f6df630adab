import type { RateE8 } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { type TokenSymbol, tokenKinds } from '@sluice/protocol/tokens/list.ts'

export type RateCode = TokenSymbol | 'EUR'

/** Quote of one source. */
export type RateInput = {
  readonly source: string
  readonly usdPerUnit: RateE8
  /** Time at which the source made the quote, or else the request time. */
  readonly quotedAt: UnixMs
}

/** Rate with the quotes behind it, which are stored with the attempt or the receipt. */
export type Rate = {
  readonly code: RateCode
  readonly usdPerUnit: RateE8
  readonly quotedAt: UnixMs
  readonly provider: string
  readonly inputs: readonly RateInput[]
}

/** The rate 1.00. */
export const oneDollar = 100_000_000n as RateE8

/** Returns the maximum age of a quote: one minute for tokens, 36 hours for the euro, including weekends. */
export function maxAgeMs(code: RateCode): number {
  return code === 'EUR' ? 129_600_000 : 60_000
}

/** Returns whether a quote is usable. Rejects a quote from more than a minute in the future. */
export function isTimely(quote: { readonly quotedAt: UnixMs }, code: RateCode, now: UnixMs): boolean {
  const age = now - quote.quotedAt
  return age <= maxAgeMs(code) && age >= -60_000
}

export type RateError = { readonly source: string; readonly error: string }

export type RateReading = { readonly code: RateCode } & (RateInput | RateError)

/** Provider of quotes for some of the codes. */
export interface RateSource {
  readonly name: string
  readonly codes: readonly RateCode[]
  /**
   * Reads the quotes of `codes`. Must not throw, and must return within seconds: failures are returned as
   * readings. Does not validate quotes; {@link medianRate} does.
   */
  read(codes: readonly RateCode[]): Promise<RateReading[]>
}

export function quotedAssets(source: string): Map<RateCode, string> {
  const quoted = tokenKinds.filter(({ notQuotedBy }) => !notQuotedBy?.includes(source))
  return new Map(quoted.map(({ symbol, pricedAs }) => [symbol, pricedAs]))
}
