import type { Cents } from '@sluice/protocol/money.ts'
import type { Clock } from '../kernel/clock.ts'
import { processingFeeCents } from '../pricing/fee.ts'
import { getRate } from '../pricing/find-rate.ts'
import type { RateBook } from '../pricing/rate-book.ts'
import { identityRate, valueReceipt } from '../pricing/valuation.ts'
import type { RequestedLines } from './parse-lines.ts'
import type { Receipt } from './receipt.ts'

/** The money side of a new receipt. */
export type Priced = Pick<
  Receipt,
  'format' | 'currency' | 'totalCents' | 'feeCents' | 'nativeTotalCents' | 'lines' | 'pricing'
>

/**
 * Values the requested lines in US cents, once and for all: native lines at the rate of this moment,
 * legacy lines as they are. What the brand takes on top is fixed with it, and is no line.
 *
 * @throws {Refusal} `exchange_rate_unavailable`.
 */
export async function priceReceipt(
  needs: { clock: Clock; rates: RateBook; brand?: { readonly feeHundredths?: bigint | undefined } },
  request: RequestedLines,
): Promise<Priced> {
  const feeOn = (total: Cents) => processingFeeCents(total, needs.brand?.feeHundredths ?? 0n)
  if (request.format === 'legacy') {
    const { format, currency, totalCents } = request
    const lines = request.lines.map((line) => ({ ...line, nativeCents: undefined }))
    const feeCents = feeOn(totalCents)
    return { format, currency, totalCents, feeCents, nativeTotalCents: undefined, lines, pricing: undefined }
  }
  const { format, currency } = request
  const rate = currency === 'USD' ? identityRate(needs.clock.now()) : await getRate(needs, currency)
  const valued = valueReceipt({ currency, lines: request.lines.map((line) => line.nativeCents) }, rate)
  return {
    format,
    currency,
    totalCents: valued.total,
    feeCents: feeOn(valued.total),
    nativeTotalCents: request.totalCents,
    lines: request.lines.map((line, i) => ({
      ...line,
      usdCents: valued.lines[i] ?? (0n as Cents),
      sentUsdCents: undefined,
    })),
    pricing: { valuation: valued.valuation, originalTotal: request.totalCents, originalLines: request.lines },
  }
}
