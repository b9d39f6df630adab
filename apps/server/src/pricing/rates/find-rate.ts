import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import { Outage } from '../../kernel/outage.ts'
import { oneDollar, type Rate, type RateCode } from './rate.ts'
import type { RateBook } from './rate-book.ts'

/** Maximum deviation of a stablecoin from one dollar: 1 %. */
const pegBandE8 = oneDollar / 100n

const stablecoins = new Set<string>(tokenKinds.filter((kind) => kind.isStablecoin).map((kind) => kind.symbol))

/**
 * Returns the current dollar rate of `code`: live, or the last good rate within its maximum age.
 *
 * A stablecoin counts as exactly one dollar while the sources are within 1 % of it. Its `inputs` contain the
 * quotes.
 *
 * See docs/contract.md#rates.
 *
 * @throws {RateUnavailable}
 */
export async function getRate(needs: { rates: RateBook }, code: RateCode): Promise<Rate> {
  const rate = await findRate(needs, code)
  if (!rate) throw new RateUnavailable(`No exchange rate for ${code} is currently available`)
  return rate
}

/**
 * Returns the result of {@link getRate}, or `undefined` if there is no rate: the token is then not offered.
 */
export async function findRate(needs: { rates: RateBook }, code: RateCode): Promise<Rate | undefined> {
  await needs.rates.freshen(code)
  return findKnownRate(needs, code)
}

/** Returns the cached rate without a request to the sources. For estimates only. */
export function findKnownRate({ rates }: { rates: RateBook }, code: RateCode): Rate | undefined {
  const rate = rates.cached(code)
  return rate && stablecoins.has(code) ? pegged(rate) : rate
}

/**
 * Refreshes the rate that a receipt in `currency` needs, before a transaction. Does nothing for currencies
 * that need no rate.
 */
export async function prepareRate({ rates }: { rates: RateBook }, currency: unknown): Promise<void> {
  const code = codeOf(currency)
  if (code) await rates.freshen(code)
}

/** Returns whether a receipt in `currency` can be valued without a request to the sources. */
export function isRateAtHand({ rates }: { rates: RateBook }, currency: unknown): boolean {
  const code = codeOf(currency)
  return code === undefined || rates.isFresh(code)
}

function codeOf(currency: unknown): RateCode | undefined {
  return typeof currency === 'string' && currency.toUpperCase() === 'EUR' ? 'EUR' : undefined
}

function pegged(rate: Rate): Rate | undefined {
  const off = rate.usdPerUnit - oneDollar
  return (off < 0n ? -off : off) <= pegBandE8 ? { ...rate, usdPerUnit: oneDollar } : undefined
}

/** No usable rate exists. Requests get 503 `exchange_rate_unavailable`, and nothing is stored. */
export class RateUnavailable extends Outage {
  /** @param message - Shown to API clients. */
  constructor(message: string, options?: ErrorOptions) {
    super('exchange_rate', message, options)
  }
}
