import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import type { RateCode } from './rate.ts'

/** The tokens that a source has a dollar price of, each with the asset it is priced as. */
export function quotedAssets(source: string): Map<RateCode, string> {
  const quoted = tokenKinds.filter(({ notQuotedBy }) => !notQuotedBy?.includes(source))
  return new Map(quoted.map(({ symbol, pricedAs }) => [symbol, pricedAs]))
}
