import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import { Outage } from '../../kernel/outage.ts'
import { oneDollar, type Rate, type RateCode } from './rate.ts'
import type { RateBook } from './rate-book.ts'

/** How far a stablecoin may be from a dollar and still be offered: 1 % (decisions: Rates). */
const pegBandE8 = oneDollar / 100n

const stablecoins = new Set<string>(tokenKinds.filter((kind) => kind.isStablecoin).map((kind) => kind.symbol))

/**
 * The dollar rate to price `code` by now: live, else as last read while that is within its age.
 *
 * A stablecoin is a dollar exactly, as long as the sources see it within 1 % of one; the inputs
 * that say so stay on the rate.
 *
 * @throws {RateUnavailable} where there is none to stand on.
 */
export async function getRate(needs: { rates: RateBook }, code: RateCode): Promise<Rate> {
  const rate = await findRate(needs, code)
  if (!rate) throw new RateUnavailable(`No exchange rate for ${code} is currently available`)
  return rate
}

/** As {@link getRate}; `undefined` where there is no rate: the token is then not offered. */
export async function findRate(needs: { rates: RateBook }, code: RateCode): Promise<Rate | undefined> {
  await needs.rates.freshen(code)
  return findKnownRate(needs, code)
}

/** As {@link findRate}, but asks nobody: for what is only an estimate. */
export function findKnownRate({ rates }: { rates: RateBook }, code: RateCode): Rate | undefined {
  const rate = rates.cached(code)
  return rate && stablecoins.has(code) ? pegged(rate) : rate
}

/**
 * Has the rate of a currency that a request names read, if it needs one, so that a transaction finds it at hand.
 * Refuses nothing: that is for whoever uses the rate.
 */
export async function prepareRate({ rates }: { rates: RateBook }, currency: unknown): Promise<void> {
  const code = codeOf(currency)
  if (code) await rates.freshen(code)
}

/** Whether a request that names a currency needs no rate, or one that is at hand. */
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

/** There is no exchange rate to price or to measure by. */
export class RateUnavailable extends Outage {
  /** @param message - For callers of the API, who read it, too. */
  constructor(message: string, options?: ErrorOptions) {
    super('exchange_rate', message, options)
  }
}
