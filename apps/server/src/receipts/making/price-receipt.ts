import type { Cents } from '@sluice/protocol/money.ts'
import type { Clock } from '../../kernel/clock.ts'
import { getRate } from '../../pricing/rates/find-rate.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'
import { identityRate, processingFeeCents, valueReceipt } from '../../pricing/valuation.ts'
import type { Brand } from '../../site/brand.ts'
import type { Receipt } from '../receipt.ts'
import type { RequestedLines } from './parse-lines.ts'

/** The money side of a new receipt. */
export type Priced = Pick<
  Receipt,
  | 'format'
  | 'currency'
  | 'totalCents'
  | 'feeCents'
  | 'feeHundredths'
  | 'nativeTotalCents'
  | 'lines'
  | 'pricing'
>

/**
 * Values the requested lines in US cents, once and for all: native lines at the rate of this moment,
 * legacy lines as they are. The brand's processing fee comes on top and stays what it is now.
 *
 * @throws {RateUnavailable}
 */
export async function priceReceipt(
  needs: { clock: Clock; rates: RateBook; brand: Pick<Brand, 'processingFeeHundredths'> },
  request: RequestedLines,
): Promise<Priced> {
  const feeHundredths = needs.brand.processingFeeHundredths ?? 0n
  if (request.format === 'legacy') {
    const { format, currency, totalCents } = request
    const lines = request.lines.map((line) => ({ ...line, nativeCents: undefined }))
    const feeCents = processingFeeCents(totalCents, feeHundredths)
    const price = { totalCents, feeCents, feeHundredths, nativeTotalCents: undefined }
    return { format, currency, ...price, lines, pricing: undefined }
  }
  const { format, currency } = request
  const rate = currency === 'USD' ? identityRate(needs.clock.now()) : await getRate(needs, currency)
  const valued = valueReceipt({ currency, lines: request.lines.map((line) => line.nativeCents) }, rate)
  return {
    format,
    currency,
    totalCents: valued.total,
    feeCents: processingFeeCents(valued.total, feeHundredths),
    feeHundredths,
    nativeTotalCents: request.totalCents,
    lines: request.lines.map((line, i) => ({
      ...line,
      usdCents: valued.lines[i] ?? (0n as Cents),
      sentUsdCents: undefined,
    })),
    pricing: { valuation: valued.valuation, originalTotal: request.totalCents, originalLines: request.lines },
  }
}
